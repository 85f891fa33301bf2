// What is known of how the photos were prepared on which published weights were trained. Hubs put
// it into a JSON file beside the weights.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "vision/images/resize_mode.h"

namespace saccade {

struct PublishedInterpolation {
  Interpolation interpolation;
  std::string file;  // the name of the file that says so, "preprocessor_config.json"
};

// The interpolation that preprocessor_config.json (Hugging Face), config.json (timm) or
// open_clip_config.json in the folder of a file of weights names. None where there is no such file,
// or it cannot be read, or it names another interpolation than the two with antialiasing.
std::optional<PublishedInterpolation> published_interpolation(const std::filesystem::path& weights);

}  // namespace saccade
