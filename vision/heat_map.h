// A matrix as a picture: a row a word, a column a region (or a word), a colour a number. As pixels,
// and as SVG in which words are text and every cell says its number when it is pointed at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vision/colour.h"
#include "vision/image.h"
#include "vision/picture_format.h"

namespace saccade {

struct HeatMap {
  std::vector<std::string> rows, columns;  // labels; numbers are thinned out where they are many
  std::vector<float> values;               // [rows, columns]; below 0 is as cold as 0
  std::vector<Index> outlined{};           // [rows] a column of each, -1 for none; or empty
  Index group = 0;                         // lines between groups of so many columns; 0: none
  std::string title{}, row_name{}, column_name{};
  std::string value_name = "attention weight";
};

struct HeatMapOptions {
  ColourMap colours = ColourMap::kViridis;
  HeatScale scale = HeatScale::kShared;  // per_word: each row by its largest number
  double fixed_max = 1;                  // the number of full heat under HeatScale::kFixed
  std::filesystem::path font{};          // empty: DejaVu Sans where the system has it
};

// Throws ShapeError when labels, values and outlines do not fit or a value is not finite,
// UsageError on options outside their range, and DataError when the picture would have more than
// kMaxSheetPixels or text needs a font that is not installed.
Image draw_heat_map(const HeatMap& map, const HeatMapOptions& options);

// The same picture as a file of a format (not APNG); SVG and PDF hold no pixels. Throws as
// draw_heat_map.
std::string heat_map_file(const HeatMap& map, const HeatMapOptions& options, PictureFormat format);

}  // namespace saccade
