#include "experiments/commands/inspect_weights.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "captioning/model/published/published_captioner.h"
#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/json_text.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/base/shallow_json.h"
#include "core/io/tensor_files.h"
#include "vision/encoders/backbones/hub_network.h"
#include "vision/encoders/weights_facts.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const NetworkFacts& facts) {
  Json config = Json::object();
  for (const auto& [key, value] : facts.config) config[key] = value;
  return {{"names", facts.names},
          {"prefix", facts.prefix},
          {"network", facts.what},
          {"problem", facts.problem},
          {"image", {facts.height, facts.width}},
          {"grid", {facts.grid.rows, facts.grid.cols, facts.grid.features}},
          {"layers", facts.layers},
          {"pixels", facts.pixels},
          {"encoder", config}};
}

constexpr const char* kUnsaid =
    "no file beside the weights says how they are prepared (preprocessor_config.json, config.json "
    "of timm, open_clip_config.json); set resize, interpolation and pixels, where they are not "
    "below, "
    "as the page of the weights says";

void print_network(const NetworkFacts& facts) {
  const auto line = [](const char* what, const std::string& text) {
    if (!text.empty()) std::cout << what << plain_text(text) << "\n";
  };
  line("network: ", facts.what);
  line("names of ", facts.names);
  line("which begin with: ", facts.prefix);
  if (facts.grid.cells() > 0)
    line("grid: ", str(facts.grid.rows, " x ", facts.grid.cols, " regions of ", facts.grid.features,
                       " numbers, at ", facts.height, " x ", facts.width, " pixels"));
  std::string layers;
  for (const std::string& layer : facts.layers) layers += (layers.empty() ? "" : ", ") + layer;
  line("layers (encoder.layer): ", layers);
  line("pictures: ", facts.pixels.empty() ? kUnsaid : "as its file says: " + facts.pixels);
  line("but: ", facts.problem);
  std::cout << "config:\n  encoder:\n";
  for (const auto& [key, value] : facts.config)
    std::cout << "    " << key << ": " << plain_text(value) << "\n";
}

// What a network is that encoder.type hub does not know: by the JSON file beside it, or by names
// that another encoder reads.
std::string unknown_network(const std::string& path, const TensorFile& file) {
  for (const auto& [tensor, type] : std::initializer_list<std::pair<const char*, const char*>>{
           {"features.1.conv.0.0.weight", "mobilenet_v2"},
           {"features.34.weight", "vgg19"},
           {"features.28.weight", "vgg16"}})
    if (file.find(tensor))
      return str("torchvision's ", type, ", which encoder.type ", type,
                 " reads (encoder.pixels: imagenet)");
  const std::filesystem::path place = path;
  std::error_code error;
  std::ifstream in((std::filesystem::is_directory(place, error) ? place : place.parent_path()) /
                   "config.json");
  const Json json = shallow_json(in);
  std::string name;
  if (json.is_object())
    for (const char* key : {"architecture", "model_type"})
      if (name.empty() && json.contains(key) && json[key].is_string()) name = json[key];
  return str(name.empty() ? "none" : "by its tensors, none", " that encoder.type hub knows",
             name.empty() ? "" : str("; config.json says ", name),
             "; a network of pictures can be exported as ONNX, for encoder.type onnx_native");
}

// Throws DataError where a number of the weights cannot be read, or is none.
void check_numbers(const TensorFile& file) {
  for (const SafetensorsEntry& entry : file.entries()) {
    if (!entry.type.starts_with("F") && !entry.type.starts_with("BF")) continue;
    for (const float one : file.floats(entry))
      if (!std::isfinite(one))
        throw DataError(str(file.source(), ": tensor '", plain_text(entry.name),
                            "' has a number that is not finite; these weights are damaged"));
  }
}

// A text shortened to what a line holds.
std::string short_text(const std::string& text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return plain_text(text);
  return str(plain_text(text.substr(0, kMost)), "... (", text.size(),
             " bytes; --json prints all of them)");
}

}  // namespace

bool are_weights(const std::string& path) {
  const std::filesystem::path place = path;
  std::error_code error;
  if (is_published_captioner(place)) return false;
  if (std::filesystem::is_directory(place, error)) {
    if (std::filesystem::exists(place / "checkpoints", error)) return false;
    for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
      const std::string name = entry.path().filename().string();
      for (const char* end : {".safetensors", ".bin", ".pth", ".pt", ".index.json"})
        if (name.ends_with(end)) return true;
    }
    return std::filesystem::exists(place / "config.json", error);  // and open_tensors() says so
  }
  if (place.extension() == ".safetensors") return true;
  const std::string kind = foreign_file(path, WantedFile::kWeights);
  return kind.find("safetensors file") != std::string::npos ||
         kind.find("PyTorch") != std::string::npos || kind.find("pickle") != std::string::npos ||
         kind.find("index of weights") != std::string::npos;
}

int inspect_weights(const std::string& path, Index image_size, bool json) {
  const std::unique_ptr<TensorFile> opened = open_tensors(path);
  const TensorFile& file = *opened;
  const auto* own = dynamic_cast<const SafetensorsFile*>(opened.get());
  if (own) own->check_digest();
  check_numbers(file);
  const std::optional<NetworkFacts> network =
      is_hub_network(file) ? std::optional(network_facts(path, image_size)) : std::nullopt;
  if (json) {
    Json tensors = Json::array();
    for (const SafetensorsEntry& entry : file.entries())
      tensors.push_back({{"name", entry.name}, {"type", entry.type}, {"shape", entry.shape}});
    const Json all = {{"schema_version", 1},
                      {"file", path},
                      {"metadata", own ? Json(own->metadata()) : Json::object()},
                      {"has_digest", own && own->has_digest()},
                      {"network", network ? json_of(*network) : Json()},
                      {"tensors", tensors}};
    std::cout << json_text(all);
    return static_cast<int>(ExitCode::kOk);
  }
  if (network) print_network(*network);
  if (!network && !(own && own->has_digest()))
    std::cout << "network: " << plain_text(unknown_network(path, file)) << "\n";
  if (own)
    for (const auto& [key, text] : own->metadata())
      std::cout << "metadata " << short_text(key) << ": " << short_text(text) << "\n";
  Index numbers = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    std::cout << plain_text(entry.name) << "  " << entry.type;
    for (std::size_t i = 0; i < entry.shape.size(); ++i)
      std::cout << (i == 0 ? "  " : " x ") << entry.shape[i];
    std::cout << "\n";
    numbers += entry.count();
  }
  std::cout << "numbers: " << numbers << " in " << file.entries().size() << " tensors\ndigest: "
            << (own && own->has_digest() ? "right"
                                         : "none, so damage to the numbers would not be noticed")
            << "\n";
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace saccade
