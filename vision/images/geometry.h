// Geometry: how the pixels of a photo map to what a network sees, and back. Attention pictures are
// drawn through it, so that the heat lies in the right place after a crop, a squash or padding.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/cell_block.h"
#include "core/base/grid_size.h"
#include "core/base/region_places.h"
#include "vision/images/image.h"
#include "vision/images/rect.h"
#include "vision/images/resize_mode.h"

namespace saccade {

struct Geometry {
  Index original_height = 0, original_width = 0;
  ResizeMode mode = ResizeMode::kSquash;
  // The part of the original, in its pixels, that the network saw. It may reach outside the
  // original: the rest is padding (pad) or, after a shift, repeated edge pixels (other modes).
  Rect seen;
  bool mirrored = false;  // left and right exchanged (augmentation)
  Index input_height = 0, input_width = 0;
  RegionPlaces places{};  // of regions that are no cells of a grid over what the network saw
};

// Whether regions are frames in time that have no pictures.
inline bool lacks_pictures(const Geometry& geometry) {
  return geometry.places && geometry.places->in_time && geometry.places->boxes.empty();
}

// The size of a picture of the time axis of frames that have no pictures, and how much of it lies
// below the axis.
inline constexpr ImageSize kTimeAxis{.height = 120, .width = 480};
inline constexpr double kTimeAxisFoot = 0.175;

// Red, green and blue of the padding around a picture.
using PaddingColour = std::array<std::uint8_t, 3>;
inline constexpr PaddingColour kGreyPadding{128, 128, 128};

struct PrepareOptions {
  Index height = 224, width = 224;  // of the network's input
  ResizeMode mode = ResizeMode::kSquash;
  PaddingColour padding = kGreyPadding;
  Interpolation interpolation = Interpolation::kArea;
  // For the modes that cut behind resizing: the shortest side, or both, in pixels; 0: of the input.
  Index side = 0;
};

struct Prepared {
  Image image;  // [input_height, input_width]
  Geometry geometry;
};

// Cuts and resizes an image for a network, as options.interpolation says. Throws ShapeError on an
// empty image or size.
Prepared prepare(const Image& image, const PrepareOptions& options);

// The geometry that prepare() gives an image of this size.
Geometry plan_geometry(Index height, Index width, const PrepareOptions& options);

// The pixels that the network saw according to a geometry, at its input size. Beyond the border of
// the original lies padding where the picture was padded; otherwise its edge pixels are repeated.
Image render_input(const Image& image, const Geometry& geometry,
                   const PaddingColour& padding = kGreyPadding,
                   Interpolation interpolation = Interpolation::kArea);

// The part of a network's input that shows the picture, as shares of the input's width and height;
// the rest is padding. It is kept by its edges, because a left edge plus a width would round.
struct PictureArea {
  double left = 0, top = 0, right = 1, bottom = 1;
  RegionPlaces places{};  // as those of the geometry: padding is what lies behind the last of them
};
PictureArea picture_area(const Geometry& geometry);

// The cells of a grid that show any of the picture. All others show nothing but padding and are
// masked.
CellBlock picture_cells(const PictureArea& area, const GridSize& grid);
// Appends one number per cell, row by row: 1 for the cells of picture_cells(), 0 for the others.
void add_mask(const PictureArea& area, const GridSize& grid, std::vector<std::uint8_t>& mask);

// The rectangle of the original, in pixels, that cell number `cell` of a grid covers, or the box of
// that region where regions have places of their own; empty where its place is not known. Throws
// ShapeError when the cell is not on the grid.
Rect cell_box(const Geometry& geometry, const GridSize& grid, Index cell);

// The cell of a grid that lies over a point of the original; -1 if the network did not
// see the point.
Index cell_at(const Geometry& geometry, const GridSize& grid, double x, double y);

// How pixels are normalised for a network: input = (pixel - mean) * scale, for each of the channels
// R, G, B.
struct Normalization {
  std::array<float, 3> mean{127.5f, 127.5f, 127.5f};
  std::array<float, 3> scale{1 / 127.5f, 1 / 127.5f, 1 / 127.5f};
};

// The 8-bit colour that is closest to the one that normalisation maps to zero.
PaddingColour padding_of(const Normalization& normalization);

// Writes the normalised pixels to out [height, width, 3].
void pixels_to_input(const Image& image, const Normalization& normalization, Real* out);

}  // namespace saccade
