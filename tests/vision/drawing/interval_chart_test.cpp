#include "vision/drawing/interval_chart.h"

#include <cmath>
#include <map>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/vision/drawing/xml_reader.h"

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
