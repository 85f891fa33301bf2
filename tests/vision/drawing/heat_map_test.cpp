// Matrices as pictures: colours follow the numbers, labels are kept as they are, and the SVG is
// XML.
#include "vision/drawing/heat_map.h"

#include <optional>

#include "tests/support/catch.h"
#include "tests/vision/drawing/xml_reader.h"
#include "vision/drawing/canvas.h"
#include "vision/drawing/grid_maps.h"
#include "vision/drawing/interval_chart.h"
#include "vision/drawing/overlay.h"

namespace saccade {
namespace {

std::string heat_map_svg(const HeatMap& map, const HeatMapOptions& options) {
  return heat_map_file(map, options, PictureFormat::kSvg);
}

Image heat_map_picture(const HeatMap& map) {
  const std::string png = heat_map_file(map, {}, PictureFormat::kPng);
  return decode_image({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()}, "map.png");
}

// A cell of an SVG heat map: the number in its hint, and its colour.
struct Cell {
  std::string hint, fill;
};
std::vector<Cell> cells_of(const XmlReader& svg) {
  std::vector<Cell> cells;
  for (std::size_t i = 1; i < svg.elements().size(); ++i)
    if (svg.elements()[i].name == "title" && svg.elements()[i - 1].name == "rect")
      cells.push_back({svg.elements()[i].text, svg.elements()[i - 1]["fill"]});
  return cells;
}

// The place of a colour in a colour map, from the cold end.
std::optional<Index> heat_of(const std::string& fill, const std::array<Colour, 256>& table) {
  const auto part = [&](std::size_t i) {
    return static_cast<std::uint8_t>(std::stoi(fill.substr(1 + 2 * i, 2), nullptr, 16));
  };
  const auto found = std::find(table.begin(), table.end(), Colour{part(0), part(1), part(2)});
  if (found == table.end()) return std::nullopt;
  return found - table.begin();
}

HeatMap ramp(Index rows, Index columns) {
  HeatMap map;
  for (Index r = 0; r < rows; ++r) map.rows.push_back(str("word", r));
  for (Index c = 0; c < columns; ++c) map.columns.push_back(str(c));
  for (Index i = 0; i < rows * columns; ++i) map.values.push_back(static_cast<float>(i));
  return map;
}

TEST_CASE("larger numbers have hotter colours, and every colour is one of the colour map") {
  for (const ColourMap colours : {ColourMap::kViridis, ColourMap::kCividis, ColourMap::kInferno}) {
    const auto table = colour_table(colours);
    const std::string text = heat_map_svg(ramp(4, 12), {.colours = colours});
    const XmlReader svg(text);
    const auto cells = cells_of(svg);
    REQUIRE(cells.size() == 48);
    Index before = -1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      CHECK(cells[i].hint == str("word", i / 12, ", ", i % 12, ": ", i));
      const auto heat = heat_of(cells[i].fill, table);
      REQUIRE(heat);
      CHECK(*heat > before);
      before = *heat;
    }
    CHECK(before == 255);
    CHECK(heat_of(cells[0].fill, table) == 0);
  }
}

TEST_CASE("pixels have the colours of the SVG, cell by cell") {
  HeatMap map = ramp(3, 5);
  map.outlined = {-1, 2, -1};
  const Image picture = heat_map_picture(map);
  const std::string text = heat_map_svg(map, {});
  const XmlReader svg(text);
  const auto table = colour_table(ColourMap::kViridis);
  std::size_t compared = 0;
  for (std::size_t i = 1; i < svg.elements().size(); ++i) {
    if (svg.elements()[i].name != "title" || svg.elements()[i - 1].name != "rect") continue;
    const Element& cell = svg.elements()[i - 1];
    const Index x = std::stoi(cell["x"]) + std::stoi(cell["width"]) / 2;
    const Index y = std::stoi(cell["y"]) + std::stoi(cell["height"]) / 2;
    const std::uint8_t* pixel = picture.pixel(y, x);
    const auto heat = heat_of(cell["fill"], table);
    REQUIRE(heat);
    CHECK(Colour{pixel[0], pixel[1], pixel[2]} == table[static_cast<std::size_t>(*heat)]);
    ++compared;
  }
  CHECK(compared == 15);
  CHECK(svg.elements()[0]["width"] == str(picture.width));
  CHECK(svg.elements()[0]["height"] == str(picture.height));
  CHECK(text.find("<image") == std::string::npos);
}

TEST_CASE("a number that is not known leaves its cell white, and the scale as it is") {
  HeatMap map = ramp(1, 3);
  const Image whole = heat_map_picture(map);
  map.values[1] = std::numeric_limits<float>::quiet_NaN();
  for (const HeatScale scale : {HeatScale::kShared, HeatScale::kPerWord}) {
    const XmlReader svg(heat_map_svg(map, {.scale = scale}));
    std::size_t cells = 0;
    for (std::size_t i = 1; i < svg.elements().size(); ++i)
      if (svg.elements()[i].name == "title" && svg.elements()[i - 1].name == "rect") {
        CHECK(svg.elements()[i].text != "word0, 1: nan");
        CHECK(heat_of(svg.elements()[i - 1]["fill"], colour_table(ColourMap::kViridis)) ==
              (cells == 0 ? 0 : 255));
        ++cells;
      }
    CHECK(cells == 2);
  }
  CHECK(heat_map_picture(map).rgb != whole.rgb);
}

TEST_CASE("any label is text of the SVG as it is, escaped") {
  HeatMap map{.rows = {"caf\xC3\xA9", "<b> & \"q\" 'a'", "\xD0\xBA\xD0\xBE\xD1\x82", "a\x01z"},
              .columns = {"\xE7\x8A\xAC", "]]>"},
              .values = std::vector<float>(8, 0.5f),
              .title = "a < b && c",
              .row_name = "\xC3\xBC",
              .column_name = "\xEF\xBF\xBF"};
  const std::string text = heat_map_svg(map, {});
  const XmlReader svg(text);
  for (const std::string& label : {map.rows[0], map.rows[1], map.rows[2], std::string("a z"),
                                   map.columns[0], map.columns[1], map.row_name, map.title})
    CHECK(has_text(svg, label));
  CHECK(has_text(svg, "\xEF\xBF\xBD"));
  CHECK(text.find("caf\xC3\xA9") != std::string::npos);
  CHECK(xml_text("<&>\"'") == "&lt;&amp;&gt;&quot;&#39;");
  CHECK_THROWS_AS(XmlReader("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a><b></a>"), DataError);
  CHECK_THROWS_AS(XmlReader("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>&</a>"), DataError);
}

TEST_CASE("the scale is that of the whole matrix, of each row, or a given number") {
  HeatMap map{.rows = {"a", "b"}, .columns = {"0", "1"}, .values = {0.1f, 0.2f, 0.4f, -0.1f}};
  const auto table = colour_table(ColourMap::kViridis);
  const auto heats = [&](const HeatMapOptions& options) {
    const std::string text = heat_map_svg(map, options);
    std::vector<Index> out;
    for (const Cell& cell : cells_of(XmlReader(text))) out.push_back(*heat_of(cell.fill, table));
    return out;
  };
  CHECK(heats({}) == std::vector<Index>{64, 128, 255, 0});
  CHECK(heats({.scale = HeatScale::kPerWord}) == std::vector<Index>{128, 255, 255, 0});
  CHECK(heats({.scale = HeatScale::kFixed, .fixed_max = 0.8}) ==
        std::vector<Index>{32, 64, 128, 0});
  const std::string text = heat_map_svg(map, {});
  CHECK(has_text(XmlReader(text), "0.4"));  // the end of the bar
  map.values.assign(4, 0.f);
  CHECK(heats({}) == std::vector<Index>(4, 0));
}

TEST_CASE("labels do not overlap in pictures of 49, 196 and 784 regions and of short sequences") {
  for (const Index regions : {8, 49, 196, 784}) {
    HeatMap map = ramp(8, regions);
    if (regions > 8) map.group = regions == 49 ? 7 : regions == 196 ? 14 : 28;
    const std::string text = heat_map_svg(map, {});
    const XmlReader svg(text);
    for (Index r = 0; r < 8; ++r) CHECK(has_text(svg, str("word", r)));
    // Where the labels stand, and how long they are.
    std::vector<std::pair<int, std::size_t>> numbers;
    const int top =
        std::stoi(std::find_if(svg.elements().begin() + 1, svg.elements().end(),
                               [](const Element& e) { return e.name == "text" && e.text == "0"; })
                      ->
                      operator[]("y"));
    for (const Element& element : svg.elements())
      if (element.name == "text" && element["y"] == str(top))
        numbers.emplace_back(std::stoi(element["x"]), element.text.size());
    REQUIRE(numbers.size() >= 8);
    for (std::size_t i = 1; i < numbers.size(); ++i)
      CHECK(numbers[i].first - numbers[i - 1].first > static_cast<int>(7 * numbers[i].second));
    const Image picture = heat_map_picture(map);
    CHECK(picture.width >= 480);
    CHECK(picture.width < 3500);
    CHECK(picture.height > 8 * 24);
  }
}

TEST_CASE("a heat map whose sizes do not agree is refused") {
  HeatMap map = ramp(2, 3);
  CHECK_NOTHROW(heat_map_picture(map));
  map.values.pop_back();
  CHECK_THROWS_WITH(heat_map_picture(map), Catch::Contains("5 values for 2 x 3 labels"));
  map = ramp(2, 3);
  map.values[1] = std::numeric_limits<float>::infinity();
  CHECK_THROWS_AS(heat_map_svg(map, {}), ShapeError);
  map = ramp(2, 3);
  map.outlined = {0, 3};
  CHECK_THROWS_AS(heat_map_svg(map, {}), ShapeError);
  CHECK_THROWS_AS(heat_map_svg(HeatMap{}, {}), ShapeError);
  CHECK_THROWS_AS(heat_map_svg(ramp(1, 1), {.fixed_max = 0}), UsageError);
  CHECK_THROWS_AS(heat_map_picture(ramp(2000, 4000)), DataError);
}

// Numbers of regions as grids: cells lie as the regions on the picture, on one scale.

GridMaps two_grids() {
  GridMaps maps{.grid = {.rows = 2, .cols = 3}, .names = {"layer 0", "layer 1"}, .values = {}};
  for (int i = 0; i < 12; ++i) maps.values.push_back(static_cast<float>(i));
  maps.title = "two grids";
  return maps;
}

TEST_CASE("the regions of a grid are drawn where they lie on the picture") {
  const std::string text = grid_maps_file(two_grids(), PictureFormat::kSvg);
  const XmlReader svg(text);
  struct Box {
    int x, y, width, height;
    std::string fill;
  };
  std::map<std::string, Box> cells;  // by their hints
  for (std::size_t i = 1; i < svg.elements().size(); ++i) {
    const Element &hint = svg.elements()[i], &box = svg.elements()[i - 1];
    if (hint.name == "title" && box.name == "rect")
      cells[hint.text] = {std::stoi(box["x"]), std::stoi(box["y"]), std::stoi(box["width"]),
                          std::stoi(box["height"]), box["fill"]};
  }
  REQUIRE(cells.size() == 12);
  const Box &first = cells.at("layer 0, row 0, column 0: 0"),
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

namespace saccade::test {
namespace {

TEST_CASE("ticks of a scale enclose it and are round numbers apart") {
  for (const auto& [low, high] : {std::pair{0.0, 1.0},
                                  {0.131, 0.137},
                                  {-3.0, 12.0},
                                  {4.0, 4.0},
                                  {0.0, 0.0},
                                  {1e-7, 3e-7},
                                  {0.2, 0.6}}) {
    INFO(low << " to " << high);
    const std::vector<double> ticks = scale_ticks(low, high);
    REQUIRE(ticks.size() >= 2);
    CHECK(ticks.size() <= 7);
    const double step = ticks[1] - ticks[0];
    CHECK(ticks.front() <= low + 1e-6 * step);
    CHECK(ticks.back() >= high - 1e-6 * step);
    const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    CHECK((std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6));
  }
}

TEST_CASE("an interval chart draws each interval in its row, to the scale of its panel") {
  IntervalChart chart{.title = "a < b", .note = "intervals", .rows = {"one", "two", "three"}};
  chart.reference = 0;
  chart.panels = {
      {.name = "share",
       .dots = {
           {.value = 0.2, .low = 0, .high = 0.4}, {.value = 0.6, .low = 0.5, .high = 0.7}, {}}}};
  const XmlReader svg(interval_chart_file(chart, PictureFormat::kSvg));
  std::map<std::string, Element> drawn;  // by the name of its row
  const auto& elements = svg.elements();
  for (std::size_t i = 0; i + 1 < elements.size(); ++i)
    if (elements[i].name == "rect" && elements[i + 1].name == "title")
      drawn[elements[i + 1].text] = elements[i];
  const Element one = drawn["one: 0.2 [0, 0.4]"], two = drawn["two: 0.6 [0.5, 0.7]"];
  CHECK(drawn.size() == 2);  // there is nothing of the third
  CHECK(std::stoi(one["width"]) > 10);
  CHECK(std::abs(std::stoi(one["width"]) - 2 * std::stoi(two["width"])) <= 1);
  CHECK(std::stoi(two["x"]) > std::stoi(one["x"]) + std::stoi(one["width"]));
  CHECK(std::stoi(two["y"]) > std::stoi(one["y"]));
  CHECK(one["fill"] != two["fill"]);  // the reference has a colour of its own

  chart.panels[0].dots.pop_back();
  CHECK_THROWS_AS(interval_chart_file(chart, PictureFormat::kSvg), ShapeError);
}

}  // namespace
}  // namespace saccade::test
