// What is known of how the photos were prepared on which published weights were trained. Hubs put
// it into a JSON file beside the weights.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/real.h"
#include "vision/encoders/encoder_config.h"

namespace saccade {

// Of a colour from 0 to 1: the network reads (colour - mean) / deviation.
struct PublishedColours {
  std::array<float, 3> mean, deviation;
};
// Those that a choice of encoder.pixels stands for; none for plain, which has numbers of its own.
std::optional<PublishedColours> published_colours(PixelScale pixels);

// The values of the section `encoder` for which photos are prepared as the files say.
struct PublishedPixels {
  std::string file{};           // the name of the file that says so, "preprocessor_config.json"
  Index height = 0, width = 0;  // of the network's input; 0: it does not say it
  std::optional<ResizeMode> resize{};
  Index resize_side = 0;
  std::optional<Interpolation> interpolation{};
  // How colours are normalised. Where no choice is the same, pixels has no value.
  std::optional<PublishedColours> colours{};
  std::optional<PixelScale> pixels{};
  double input_mean = 127.5, input_scale = 127.5;  // for plain
};

// What preprocessor_config.json or processor_config.json (transformers), config.json (timm) or
// open_clip_config.json beside weights says, which are a file or a folder. None where there is no
// such file, or it says nothing of pictures. Throws DataError where one is no JSON object.
std::optional<PublishedPixels> published_pixels(const std::filesystem::path& weights);

}  // namespace saccade
