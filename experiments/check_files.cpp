#include "experiments/check_files.h"

#include <filesystem>
#include <set>

#include "captioning/data/load_data.h"
#include "core/base/error.h"
#include "experiments/log.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

struct NamedPlace {
  std::string key, path;
  std::string needed_by;  // the choice that reads it; empty where the path may be left out
};

std::vector<NamedPlace> places_of(const ExperimentConfig& config) {
  std::vector<NamedPlace> places;
  const auto add = [&](const std::string& key, const std::string& path, bool needed,
                       const std::string& by) {
    places.push_back({.key = key, .path = path, .needed_by = needed ? by : ""});
  };
  const auto choice = [](const char* key, const auto& value) {
    return str(key, " ", enum_name(value));
  };
  for (const DataPlace& place : data_places(config.data))
    add(str("data.", place.key), *place.path, place.needed, choice("data.type", config.data.type));
  const EncoderConfig& encoder = config.encoder;
  const bool onnx = encoder.type == EncoderKind::kOnnx,
             native = encoder.type == EncoderKind::kOnnxNative;
  if (onnx || native)
    add("encoder.model", encoder.model, true, choice("encoder.type", encoder.type));
  if (!onnx)
    add("encoder.weights", encoder.weights, is_frozen(encoder) && !native,
        "encoder.frozen_stages -1");
  if (config.decoder.embeddings.source == EmbeddingSource::kFile)
    add("decoder.embeddings.file", config.decoder.embeddings.file, true,
        "decoder.embeddings.source file");
  add("train.init_from", config.train.init_from, false, "");
  return places;
}

}  // namespace

void check_files(const std::vector<Arm>& arms) {
  std::string missing;
  std::set<std::string> reported;
  std::vector<std::string> not_given;
  for (const Arm& arm : arms)
    for (const NamedPlace& place : places_of(arm.config)) {
      std::error_code error;
      if (place.path.empty() ? place.needed_by.empty()
                             : std::filesystem::exists(place.path, error) || error)
        continue;
      if (!reported.insert(place.key + "=" + place.path).second) continue;
      if (place.path.empty())
        not_given.push_back(str(place.key, " is not given and ", place.needed_by,
                                " needs it; give it in the file or on the command line"));
      else
        missing += str(missing.empty() ? "" : "\n", place.path, ": no such file or folder; it is ",
                       place.key, " of the config");
    }
  for (const std::string& line : not_given) log::warn(line);
  if (!missing.empty()) throw DataError(missing);
}

}  // namespace saccade
