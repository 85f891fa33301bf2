// Geometry: the way from the pixels of a photo to what a network sees, and back. Pictures of
// attention are drawn through it, so that a crop, a squash or padding never moves the heat.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/real.h"
#include "vision/image.h"

namespace saccade {

// squash: the whole picture, its aspect given up. crop: the largest centred part of the input's
// aspect. pad: the whole picture in the middle of the input, as large as its aspect lets it be.
enum class ResizeMode { kSquash, kCrop, kPad };

// The names in configs and in JSON.
constexpr auto enum_table(ResizeMode) {
  return enum_rows<ResizeMode>({{ResizeMode::kSquash, "squash", "whole image, aspect given up"},
                                {ResizeMode::kCrop, "crop", "largest centred part, aspect kept"},
                                {ResizeMode::kPad, "pad", "whole image, aspect kept, padded"}});
}

// A rectangle in pixels of the original; (x, y) is its top left corner, fractions allowed.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

struct Geometry {
  Index original_height = 0, original_width = 0;
  ResizeMode mode = ResizeMode::kSquash;
  // What of the original the network saw; may reach outside it: padding (pad) or, after a shift,
  // edge pixels that go on (squash and crop).
  Rect seen;
  bool mirrored = false;  // left and right exchanged (augmentation)
  Index input_height = 0, input_width = 0;
};

// Red, green and blue of what stands around a padded picture.
using PaddingColour = std::array<std::uint8_t, 3>;
inline constexpr PaddingColour kGreyPadding{128, 128, 128};

struct PrepareOptions {
  Index height = 224, width = 224;  // of the network's input
  ResizeMode mode = ResizeMode::kSquash;
  PaddingColour padding = kGreyPadding;
};

struct Prepared {
  Image image;  // [input_height, input_width]
  Geometry geometry;
};

// Cuts and resizes an image for a network: area average where it shrinks, linear where it grows.
// Throws ShapeError on an empty image or size.
Prepared prepare(const Image& image, const PrepareOptions& options);

// The geometry prepare() gives to an image of this size.
Geometry plan_geometry(Index height, Index width, const PrepareOptions& options);

// The pixels a geometry says the network saw, at its input size. Beyond the border of the original
// is padding, where it was padded; else its edge pixels go on.
Image render_input(const Image& image, const Geometry& geometry,
                   const PaddingColour& padding = kGreyPadding);

// The part of a network's input that shows the picture, in shares of its width and height; the rest
// is padding.
struct PictureArea {
  double left = 0, top = 0, right = 1, bottom = 1;
};
PictureArea picture_area(const Geometry& geometry);

// The cells of a rows x cols grid that show some of the picture: rows [top, bottom) and columns
// [left, right). The others are wholly padding and do not count.
struct CellBlock {
  Index top = 0, left = 0, bottom = 0, right = 0;

  bool has(Index row, Index col) const {
    return row >= top && row < bottom && col >= left && col < right;
  }
};
CellBlock picture_cells(const PictureArea& area, Index rows, Index cols);
// Appends a mark a cell, row by row: 1 for those, 0 for the others.
void add_counts(const PictureArea& area, Index rows, Index cols, std::vector<std::uint8_t>& counts);

// The rectangle of the original, in pixels, that cell `cell` of a rows x cols grid covers.
// Throws ShapeError when the cell is not on the grid.
Rect cell_box(const Geometry& geometry, Index rows, Index cols, Index cell);

// The cell of a rows x cols grid over a point of the original; -1 where the network did not look.
Index cell_at(const Geometry& geometry, Index rows, Index cols, double x, double y);

// What a network subtracts and multiplies: input = (pixel - mean) * scale, a channel R, G, B each.
struct Normalization {
  std::array<float, 3> mean{127.5f, 127.5f, 127.5f};
  std::array<float, 3> scale{1 / 127.5f, 1 / 127.5f, 1 / 127.5f};
};

// The nearest colour of 8 bits to the one that becomes zeros.
PaddingColour padding_of(const Normalization& normalization);

// Writes the normalised pixels to out [height, width, 3].
void pixels_to_input(const Image& image, const Normalization& normalization, Real* out);

}  // namespace saccade
