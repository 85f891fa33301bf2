// A matrix as a picture: one row per word, one column per region (or word), and a colour for each
// number. It is drawn as pixels, or as SVG in which words are text and a cell shows its number when
// it is pointed at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vision/drawing/colour.h"
#include "vision/drawing/picture_format.h"
#include "vision/images/image.h"

namespace saccade {

struct HeatMap {
  // The labels. Where they are many numbers, only some are written.
  std::vector<std::string> rows, columns;
  // [rows, columns]; values below 0 are drawn like 0, and for NaN, which is not known, the page
  // stays white.
  std::vector<float> values;
  // [rows] the column to outline in each row, -1 for none; or empty.
  std::vector<Index> outlined{};
  Index group = 0;  // a line is drawn after every `group` columns; 0: none
  std::string title{}, row_name{}, column_name{};
  std::string value_name = "attention weight";
};

struct HeatMapOptions {
  ColourMap colours = ColourMap::kViridis;
  HeatScale scale = HeatScale::kShared;  // per_word: every row has a scale of its own
  double fixed_max = 1;                  // the number that is full heat under HeatScale::kFixed
  std::filesystem::path font{};          // empty: DejaVu Sans where the system has it
};

// The matrix as a file; SVG and PDF hold no pixels. Throws ShapeError when labels, values and
// outlines do not fit together or a value is infinite, UsageError on options outside their range,
// and DataError when the picture would have more than kMaxSheetPixels or its text needs a font that
// is not installed.
std::string heat_map_file(const HeatMap& map, const HeatMapOptions& options, PictureFormat format);

}  // namespace saccade
