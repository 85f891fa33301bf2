// Attention pictures of regions that are boxes.
#include "tests/support/catch.h"
#include "tests/vision/pictures.h"
#include "vision/drawing/overlay.h"

namespace saccade::overlay_boxes_test {
namespace {

int distance(const std::uint8_t* a, const std::uint8_t* b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

TEST_CASE(
    "weights of boxes are painted over them, the heavier on top, and the heaviest is outlined") {
  const Image image = test_picture(100, 200);
  Geometry geometry = plan_geometry(100, 200, {.height = 100, .width = 200});
  // The second box lies within the first; the third is beside them.
  geometry.places = std::make_shared<const RegionBoxes>(
      RegionBoxes{.count = 3,
                  .boxes = {{.left = 0, .top = 0, .right = 0.5, .bottom = 1},
                            {.left = 0.1F, .top = 0.2F, .right = 0.3F, .bottom = 0.8F},
                            {.left = 0.6F, .top = 0.1F, .right = 0.9F, .bottom = 0.9F}}});
  Overlay overlay{.image = std::make_shared<Image>(image), .geometry = geometry, .words = {}};
  const auto map_of = [&](std::vector<float> weights) {
    return AttentionMap{.weights = std::move(weights), .layout = {{1, 4}, geometry.places}};
  };
  overlay.words = {{.text = "cold", .map = map_of({0, 0, 0, 0})},
                   {.text = "outer", .map = map_of({1, 0, 0, 0})},
                   {.text = "inner", .map = map_of({0.25F, 0.75F, 0, 0})}};
  const OverlayOptions options{.style = OverlayStyle::kHeat, .scale = HeatScale::kPerWord};
  const Image cold = draw_panel(overlay, 0, options), outer = draw_panel(overlay, 1, options),
              inner = draw_panel(overlay, 2, options);
  const auto differs = [&](const Image& drawn, Index y, Index x) {
    return distance(drawn.pixel(y, x), cold.pixel(y, x)) > 60;
  };
  CHECK(differs(outer, 50, 80));
  CHECK(differs(outer, 50, 40));  // the lighter box within it does not cover it
  CHECK_FALSE(differs(outer, 50, 150));
  CHECK(differs(inner, 50, 40));
  CHECK(distance(inner.pixel(50, 40), outer.pixel(50, 40)) < 6);  // both have full heat there
  CHECK(distance(inner.pixel(50, 80), outer.pixel(50, 80)) > 60);
  // A black line at the edge of the heaviest box and a white one within it.
  CHECK(inner.pixel(20, 30)[0] == 0);
  CHECK(inner.pixel(21, 31)[0] == 255);
  CHECK(outer.pixel(99, 30)[0] == 0);
  CHECK_NOTHROW(draw_panel(overlay, 2, {.style = OverlayStyle::kCells}));

  geometry.places = std::make_shared<const RegionBoxes>(RegionBoxes{.count = 3});
  overlay.geometry = geometry;
  // Without boxes, bars stand at the bottom, in the order of the regions.
  const Image bars = draw_panel(overlay, 2, options), none = draw_panel(overlay, 0, options);
  const auto changed = [&](Index y, Index x) {
    return distance(bars.pixel(y, x), none.pixel(y, x)) > 60;
  };
  CHECK(changed(95, 30));
  CHECK_FALSE(changed(80, 30));  // a third of the height of the other
  CHECK(changed(65, 100));
  CHECK_FALSE(changed(95, 170));
}

}  // namespace
}  // namespace saccade::overlay_boxes_test
