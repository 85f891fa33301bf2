// The form of features that a model takes, and where they lie.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/shallow_json.h"
#include "vision/encoders/given_features.h"

namespace saccade {

using Json = nlohmann::json;

GridShape FeatureForm::grid() const {
  GridShape grid{{.rows = rows, .cols = cols}, width + (places ? kBoxNumbers : 0)};
  grid.scattered = scattered;
  grid.in_time = in_time;
  grid.pooled = pooled ? 1 : 0;
  return grid;
}

std::string FeatureForm::text() const {
  Json json({{"features", width},
             {"rows", rows},
             {"cols", cols},
             {"scattered", scattered},
             {"class_token", class_token},
             {"pooled", pooled},
             {"places", places}});
  if (in_time) json["step"] = step;
  return json.dump();
}

FeatureForm FeatureForm::of_text(const std::string& text) {
  constexpr Index kMost = 1 << 24;
  const Json json = shallow_json<Json>(text);
  FeatureForm form;
  const auto number = [&](const char* key, Index& value) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return false;
    value = json[key].get<Index>();
    return value >= 1 && value <= kMost;
  };
  const auto truth = [&](const char* key, bool& value) {
    if (!json.contains(key) || !json[key].is_boolean()) return false;
    value = json[key].get<bool>();
    return true;
  };
  if (json.is_object() && json.contains("step")) {
    form.in_time = true;
    form.step = json["step"].is_number() ? json["step"].get<double>() : 0;
  }
  if (!(form.step > 0) || !number("features", form.width) || !number("rows", form.rows) ||
      !number("cols", form.cols) || !truth("scattered", form.scattered) ||
      !truth("class_token", form.class_token) || !truth("pooled", form.pooled) ||
      !truth("places", form.places))
    throw CheckpointError("the form of the features that the model takes is damaged: " +
                          text.substr(0, 80) + "; use another checkpoint");
  return form;
}

Geometry geometry_of_features(const ImageSize& photo, RegionPlaces places) {
  return {.original_height = photo.height,
          .original_width = photo.width,
          .seen = {0, 0, static_cast<double>(photo.width), static_cast<double>(photo.height)},
          .input_height = photo.height,
          .input_width = photo.width,
          .places = std::move(places)};
}

Geometry geometry_of_times(const RegionPlaces& places) {
  RegionBoxes frames = *places;
  frames.boxes.clear();
  return geometry_of_features(kTimeAxis, std::make_shared<const RegionBoxes>(std::move(frames)));
}

Geometry geometry_without_photo(const FoundFeatures& found) {
  if (found.places && found.places->in_time) return geometry_of_times(found.places);
  constexpr ImageSize kUnknown{.height = 320, .width = 320};
  constexpr Index kLongest = 4096;  // a file may name any size
  ImageSize size = found.size.width > 0 && found.size.height > 0 ? found.size : kUnknown;
  if (const Index longest = std::max(size.height, size.width); longest > kLongest)
    size = {.height = std::max<Index>(1, size.height * kLongest / longest),
            .width = std::max<Index>(1, size.width * kLongest / longest)};
  return geometry_of_features(size, found.places);
}

}  // namespace saccade
