#include "vision/encoders/backbones/hub_facts.h"

#include "core/base/shallow_json.h"
#include "core/base/whole_file.h"

namespace saccade {

HubFacts::HubFacts(const HubTensors& tensors, const std::filesystem::path& weights)
    : name_(tensors.prefix().starts_with("visual.") ? "open_clip_config.json" : "config.json") {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(weights, error);
  const std::filesystem::path file = (folder ? weights : weights.parent_path()) / name_;
  if (const std::optional<std::string> text = whole_file(file)) {
    json_ = shallow_json<nlohmann::json>(*text);
    if (!json_.is_object())
      throw DataError(file.string() + ": it is no JSON object; copy it again");
    file_ = file.string();
  }
  // A model of several parts has a section for the one that reads pictures.
  const char* section = tensors.prefix().starts_with("encoder.") ? "encoder" : "vision_config";
  if (json_.contains(section) && json_[section].is_object()) json_ = json_[section];
}

void require_architecture(const HubFacts& facts, std::initializer_list<const char*> starts,
                          bool digit_follows) {
  const std::string name = facts.architecture();
  if (name.empty()) return;
  for (const std::string start : starts) {
    const char next = name.size() > start.size() ? name[start.size()] : ' ';
    if (name.starts_with(start) && (!digit_follows || (next >= '0' && next <= '9'))) {
      for (const char* option : {"act_layer", "aa_layer", "output_stride", "norm_layer"})
        if (name.find("vit_") == std::string::npos && facts.json().contains("model_args") &&
            facts.json()["model_args"].contains(option))
          throw DataError(str(facts.file(), ": model_args has ", option,
                              ", with which the network computes something that saccade does not "
                              "know"));
      return;
    }
  }
  refuse_architecture(facts, name);
}

void refuse_architecture(const HubFacts& facts, const std::string& name) {
  throw DataError(str(facts.file(), ": encoder.type hub does not know the architecture ", name,
                      ", whose tensors look like those of another; export it as ONNX, and take "
                      "encoder.type onnx_native"));
}

}  // namespace saccade
