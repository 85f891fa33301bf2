#include "vision/drawing/embedded_picture.h"

#include <algorithm>

#include "vision/images/png_codec.h"
#include "vision/images/thumbnail.h"

namespace saccade {

namespace {

constexpr int kJpegQuality = 92;
constexpr std::size_t kWorthTheLoss = 3;  // how many times larger PNG must be before JPEG is used

}  // namespace

EmbeddedPicture embed(const Image& image) {
  EmbeddedPicture exact{.bytes = encode_png(image)};
  EmbeddedPicture photo{
      .jpeg = true,
      .bytes = jpeg_thumbnail(image, std::max(image.height, image.width), kJpegQuality)};
  return exact.bytes.size() < kWorthTheLoss * photo.bytes.size() ? exact : photo;
}

EmbeddedPicture embed(const Layer& layer) {
  const Image& colours = layer.colours;
  std::vector<std::uint8_t> rgba;
  rgba.reserve(4 * layer.cover.size());
  for (std::size_t i = 0; i < layer.cover.size(); ++i) {
    const std::uint8_t* rgb = colours.rgb.data() + 3 * i;
    rgba.insert(rgba.end(), {rgb[0], rgb[1], rgb[2], layer.cover[i]});
  }
  return {.bytes = encode_png(rgba, {colours.height, colours.width}, 4)};
}

}  // namespace saccade
