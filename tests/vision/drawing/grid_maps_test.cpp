// Numbers of regions as grids: cells lie as the regions on the picture, on one scale.
#include "vision/drawing/grid_maps.h"

#include <cmath>
#include <map>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/vision/drawing/xml_reader.h"

namespace saccade {
namespace {

GridMaps two_grids() {
  GridMaps maps{.grid = {.rows = 2, .cols = 3}, .names = {"layer 0", "layer 1"}, .values = {}};
  for (int i = 0; i < 12; ++i) maps.values.push_back(static_cast<float>(i));
  maps.title = "two grids";
  return maps;
}

TEST_CASE("the regions of a grid are drawn where they lie on the picture") {
  const std::string text = grid_maps_file(two_grids(), PictureFormat::kSvg);
  const XmlReader svg(text);
  struct Cell {
    int x, y, width, height;
    std::string fill;
  };
  std::map<std::string, Cell> cells;  // by their hints
  for (std::size_t i = 1; i < svg.elements().size(); ++i) {
    const Element &hint = svg.elements()[i], &box = svg.elements()[i - 1];
    if (hint.name == "title" && box.name == "rect")
      cells[hint.text] = {std::stoi(box["x"]), std::stoi(box["y"]), std::stoi(box["width"]),
                          std::stoi(box["height"]), box["fill"]};
  }
  REQUIRE(cells.size() == 12);
  const Cell &first = cells.at("layer 0, row 0, column 0: 0"),
             &right = cells.at("layer 0, row 0, column 1: 1"),
             &below = cells.at("layer 0, row 1, column 0: 3"),
             &other = cells.at("layer 1, row 0, column 0: 6"),
             &last = cells.at("layer 1, row 1, column 2: 11");
  CHECK(first.width == first.height);
  CHECK(right.x == first.x + first.width);
  CHECK(right.y == first.y);
  CHECK(below.x == first.x);
  CHECK(below.y == first.y + first.height);
  CHECK(other.x > first.x + 3 * first.width);  // beside the first grid
  CHECK(other.y == first.y);
  const auto table = colour_table(ColourMap::kViridis);
  const auto hex = [](const Colour& colour) {
    std::string out = "#";
    for (const int part : colour)
      for (const int digit : {part / 16, part % 16}) out += "0123456789abcdef"[digit];
    return out;
  };
  CHECK(first.fill == hex(table[0]));
  CHECK(last.fill == hex(table[255]));
}

TEST_CASE("many grids go on in the next row, and wrong numbers are refused") {
  GridMaps maps = two_grids();
  for (int i = 0; i < 40; ++i) {
    maps.names.push_back("grid");
    maps.values.insert(maps.values.end(), 6, 1.0F);
  }
  CHECK(grid_maps_file(maps, PictureFormat::kPng).starts_with("\x89PNG"));
  maps.values.pop_back();
  CHECK_THROWS_AS(grid_maps_file(maps, PictureFormat::kSvg), ShapeError);
  maps.values.push_back(INFINITY);
  CHECK_THROWS_AS(grid_maps_file(maps, PictureFormat::kSvg), ShapeError);
  maps.values.back() = NAN;  // not known: its cell stays white
  CHECK(grid_maps_file(maps, PictureFormat::kSvg).find("nan") == std::string::npos);
}

}  // namespace
}  // namespace saccade
