// Numbers of the regions of a grid as small pictures side by side: one grid for each of several
// things, all on one scale, so that a region is found again at its place on the photo.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/grid_size.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/picture_format.h"

namespace saccade {

struct GridMaps {
  GridSize grid{};
  std::vector<std::string> names;  // of the grids, in reading order
  std::vector<float>
      values;  // [names, rows, cols]; values below 0 are drawn like 0, NaN not at all
  std::string title{};
  std::string value_name = "attention weight";
};

// The picture as a file; full heat is the largest number of all grids.
// In an SVG a cell shows its place and number when it is pointed at. `font` is DejaVu Sans where it
// is empty and the system has it. Throws ShapeError when names and values do not fit to the grid or
// a value is infinite, and DataError when the picture would be too large or its text needs a font
// that is not installed.
std::string grid_maps_file(const GridMaps& maps, PictureFormat format,
                           ColourMap colours = ColourMap::kViridis,
                           const std::filesystem::path& font = {});

}  // namespace saccade
