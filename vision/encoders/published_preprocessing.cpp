#include "vision/encoders/published_preprocessing.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace saccade {

namespace {

using Json = nlohmann::json;

// PIL numbers its filters; timm and OpenCLIP write their names.
std::optional<Interpolation> interpolation_of(const Json& value) {
  if (value == 2 || value == "bilinear") return Interpolation::kBilinear;
  if (value == 3 || value == "bicubic") return Interpolation::kBicubic;
  return std::nullopt;
}

constexpr struct {
  const char* file;
  const char* place;
} kPlaces[] = {{"preprocessor_config.json", "/resample"},
               {"config.json", "/pretrained_cfg/interpolation"},
               {"open_clip_config.json", "/preprocess_cfg/interpolation"}};

}  // namespace

std::optional<PublishedInterpolation> published_interpolation(
    const std::filesystem::path& weights) {
  for (const auto& [file, place] : kPlaces) {
    std::ifstream in(weights.parent_path() / file);
    const Json json = Json::parse(in, nullptr, false);  // without exceptions
    const Json::json_pointer at(place);
    if (!json.is_object() || !json.contains(at)) continue;
    if (const auto found = interpolation_of(json[at])) return PublishedInterpolation{*found, file};
  }
  return std::nullopt;
}

}  // namespace saccade
