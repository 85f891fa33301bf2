// Pointing with a tolerance in pixels.
#include "captioning/study/grounding/peak_point.h"

#include "captioning/study/evaluation/grounding_scores.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade::peak_point_test {
namespace {

constexpr Index kSide = 224;

AttentionGrid grid_of(Index cells) {
  return {.size = {cells, cells}, .height = kSide, .width = kSide};
}

std::vector<Real> one_hot(const AttentionGrid& grid, Index cell) {
  std::vector<Real> out(static_cast<std::size_t>(grid.size.cells()), Real(0));
  out[static_cast<std::size_t>(cell)] = 1;
  return out;
}

}  // namespace

TEST_CASE("the brightest point is where the interpolated map is largest") {
  const AttentionGrid grid = grid_of(7);  // cells of 32 pixels
  // One cell alone: the point is its centre, between pixels 15 and 16 of the cell.
  const PicturePoint centre = brightest_point(one_hot(grid, 3 * 7 + 2), grid);
  CHECK(std::abs(centre.x - 80) <= 0.5);
  CHECK(std::abs(centre.y - 112) <= 0.5);
  // Two equal neighbours: the point is between them, where neither cell has its centre.
  std::vector<Real> two = one_hot(grid, 3 * 7 + 2);
  two[3 * 7 + 3] = 1;
  const PicturePoint between = brightest_point(two, grid);
  CHECK(std::abs(between.x - 96) <= 0.5);
  CHECK(std::abs(between.y - 112) <= 0.5);
  // Two neighbours of slightly smaller weight are brighter in their middle (2 * 9/16) than one
  // distant cell.
  two = one_hot(grid, 8);
  two[5 * 7 + 4] = two[5 * 7 + 5] = Real(0.95);
  CHECK(std::abs(brightest_point(two, grid).x - 160) <= 0.5);
  two[5 * 7 + 4] = two[5 * 7 + 5] = Real(0.8);
  CHECK(std::abs(brightest_point(two, grid).x - 48) <= 0.5);
  // The outermost values continue to the border.
  CHECK(brightest_point(one_hot(grid, 48), grid).x > 200);
}

TEST_CASE("a point near a box is a hit on a grid of any fineness") {
  const std::vector<Rect> boxes = {{.x = 100, .y = 100, .width = 8, .height = 8}};
  const double tolerance = point_tolerance(grid_of(7));
  CHECK(tolerance == 15);
  CHECK(point_tolerance({.size = {4, 4}, .height = 64, .width = 64}) == Approx(15 * 2 / 7.0));
  for (const Index cells : {7, 14, 28}) {
    const AttentionGrid grid = grid_of(cells);
    for (Index cell = 0; cell < cells * cells; ++cell) {
      const Rect own = grid.cell(cell);
      const double dx = std::max({100 - own.centre_x(), 0.0, own.centre_x() - 108});
      const double dy = std::max({100 - own.centre_y(), 0.0, own.centre_y() - 108});
      const double away = std::hypot(dx, dy);
      if (std::abs(away - 15) < 1) continue;  // half a pixel would decide
      CHECK(points_near(one_hot(grid, cell), grid, boxes, tolerance) == (away <= 15));
    }
  }
  CHECK_FALSE(points_near(one_hot(grid_of(7), 0), grid_of(7), {}, tolerance));
}

TEST_CASE("a random point hits with the share of the area near the boxes") {
  Random random({.seed = 5});
  const auto number = [&](double most) { return random.uniform() * most; };
  for (int trial = 0; trial < 8; ++trial) {
    AttentionGrid grid = grid_of(7);
    if (trial % 2 == 1) grid.photo = {0, 28, kSide, 168};  // padding above and below
    std::vector<Rect> boxes;
    for (int b = 0; b < 3; ++b) boxes.push_back({number(200), number(190), number(80), number(60)});
    const Rect shown = grid.shown();
    double near = 0, all = 0;
    for (double y = 0.25; y < kSide; y += 0.5)
      for (double x = 0.25; x < kSide; x += 0.5) {
        if (!shown.contains(x, y)) continue;
        ++all;
        near += std::any_of(boxes.begin(), boxes.end(), [&](const Rect& box) {
          return std::hypot(std::max({box.x - x, 0.0, x - box.right()}),
                            std::max({box.y - y, 0.0, y - box.bottom()})) <= 15;
        });
      }
    CHECK(near_share(grid, boxes, 15) == Approx(near / all).margin(0.003));
  }
  CHECK(near_share(grid_of(7), {}, 15) == 0);
}

TEST_CASE("the brightest point is never in the padding, and maps must fit") {
  AttentionGrid grid = grid_of(7);
  grid.photo = {0, 64, kSide, 96};  // rows 2 to 4
  std::vector<Real> map(49, Real(0));
  map[3] = 1;             // padding
  map[3 * 7 + 1] = 0.5f;  // of the photo
  const PicturePoint point = brightest_point(map, grid);
  CHECK(std::abs(point.x - 48) <= 0.5);
  CHECK(std::abs(point.y - 112) <= 0.5);
  CHECK_THROWS_AS(brightest_point(std::vector<Real>(48), grid), ShapeError);
  map[5] = std::nanf("");
  CHECK_THROWS_AS(brightest_point(map, grid), ShapeError);
}

TEST_CASE(
    "correctness over uniform is a quotient of means, the normalized one a mean of quotients") {
  // Two nouns on a grid of 2 x 2: one has a box over half of the picture with all the weight
  // inside, the other a small box without any.
  const RegionLayout layout{{.rows = 2, .cols = 2}};
  const Geometry geometry = plan_geometry(32, 32, {.height = 32, .width = 32});
  DecodedCaption caption;
  caption.words = {{.id = 4, .map = {.weights = {0.5f, 0.5f, 0, 0}, .layout = layout}},
                   {.id = 5, .map = {.weights = {1, 0, 0, 0}, .layout = layout}}};
  const std::vector<Rect> half = {{0, 0, 32, 16}}, small = {{17, 17, 15, 15}};
  const std::vector<NamedObjects> named = {{0, half, half}, {1, small, small}};
  GroundingScores scores;
  scores.add(named, caption, geometry);
  const auto find = [](const NamedScores& all, std::string_view name) {
    for (const auto& [own, value] : all)
      if (own == name) return value;
    FAIL("no " << name);
    return 0.0;
  };
  const NamedScores model = scores.model_scores(), uniform = scores.uniform_scores();
  CHECK(find(model, "attention_correctness") == Approx(0.5));
  const double uniform_mean = (0.5 + 225.0 / 1024) / 2;
  CHECK(find(uniform, "attention_correctness") == Approx(uniform_mean));
  CHECK(find(model, "attention_correctness_normalized") == Approx(1));  // (2 + 0) / 2
  CHECK(find(model, "attention_correctness_over_uniform") == Approx(0.5 / uniform_mean));
  CHECK(find(uniform, "pointing_accuracy") == Approx(0.375));
  CHECK(find(model, "pointing_15px") == Approx(0.5));
  // The measures for the bootstrap are the same numbers.
  for (const ImageStatistics& metric : scores.metrics())
    CHECK(metric.whole() == Approx(find(model, metric.metric)));
}

TEST_CASE("maps are compared with the centre noun by noun") {
  // Things lie in the middle or in a corner. One model points at all of them but a few, another one
  // always at the middle, a third at anything.
  const Geometry geometry = plan_geometry(40, 40, {.height = 40, .width = 40});
  Random random({.seed = 3});
  const auto against = [&](auto&& cell_of) {
    std::vector<GroundingScores> images;
    for (int i = 0; i < 60; ++i) {
      GroundingScores& image = images.emplace_back();
      for (int caption = 0; caption < 2; ++caption) {
        const bool middle = (i + caption) % 2 == 0;
        const std::vector<Rect> boxes = {middle ? Rect{16, 16, 8, 8} : Rect{0, 0, 8, 8}};
        DecodedCaption decoded;
        decoded.words.resize(1);
        decoded.words[0].map.weights.assign(25, 0.01f);
        decoded.words[0].map.layout = {{.rows = 5, .cols = 5}};
        decoded.words[0].map.weights[cell_of(middle)] = 0.76f;
        image.add(std::vector<NamedObjects>{{0, boxes, boxes}}, decoded, geometry);
      }
    }
    for (const CentreDifference& one : joined_by_image(images).against_centre())
      if (one.metric == "pointing_accuracy") return one;
    FAIL("no pointing");
    return CentreDifference{};
  };
  const auto number = [&] { return random.uniform(); };
  const CentreDifference good = against([&](bool middle) {
    return number() < 0.1 ? 7U : middle ? 12U : 0U;
  });
  CHECK(good.difference == Approx(0.4).margin(0.05));
  CHECK(good.interval.low > 0.2);
  CHECK(good.p_value < 0.001);
  const CentreDifference middle = against([](bool) { return 12U; });
  CHECK(middle.difference == 0);
  CHECK(middle.interval.low == 0);
  CHECK(middle.p_value == 1);
  const CentreDifference any = against([&](bool) { return static_cast<unsigned>(number() * 25); });
  CHECK(any.interval.high < -0.2);
  CHECK(GroundingScores{}.against_centre().empty());
}

}  // namespace saccade::peak_point_test
