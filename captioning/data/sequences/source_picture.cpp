#include "captioning/data/sequences/source_picture.h"

#include <algorithm>

#include "core/base/error.h"
#include "vision/drawing/token_strip.h"

namespace saccade {

namespace {

// Wide enough for the longest token in the letters of the strip.
StripCell cell_of(std::span<const std::string> tokens) {
  constexpr Index kHeight = 36, kLetter = 11, kMargin = 16;
  std::size_t letters = 1;
  for (const std::string& token : tokens) letters = std::max(letters, token.size());
  return {.width = kMargin + kLetter * static_cast<Index>(letters), .height = kHeight};
}

}  // namespace

Image draw_source(std::span<const std::string> tokens) {
  return draw_token_strip(tokens, cell_of(tokens));
}

ImageSize source_size(std::span<const std::string> tokens) {
  const StripCell cell = cell_of(tokens);
  return {cell.height, static_cast<Index>(tokens.size()) * cell.width};
}

Geometry source_geometry(std::span<const std::string> tokens, Index places) {
  SACCADE_CHECK(!tokens.empty() && static_cast<Index>(tokens.size()) <= places, "[source] ",
                tokens.size(), " tokens in ", places, " places");
  const StripCell cell = cell_of(tokens);
  const ImageSize size = source_size(tokens);
  return {
      .original_height = size.height,
      .original_width = size.width,
      .mode = ResizeMode::kPad,
      .seen = {0, 0, static_cast<double>(places * cell.width), static_cast<double>(cell.height)},
      .mirrored = false,
      .input_height = 1,
      .input_width = places};
}

}  // namespace saccade
