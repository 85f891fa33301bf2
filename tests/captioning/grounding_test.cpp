// The pointing game.
#include "captioning/metrics/grounding.h"

#include <cmath>

#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

const AttentionGrid kGrid = {.size = {4, 8}, .height = 64, .width = 128};  // cells of 16

std::vector<Real> one_hot(Index cell) {
  std::vector<Real> out(32, Real(0));
  out[static_cast<std::size_t>(cell)] = 1;
  return out;
}

}  // namespace

TEST_CASE("a peak hits where its cell overlaps a box, and its centre with tolerance 0") {
  const std::vector<Rect> boxes = {
      {.x = 40, .y = 20, .width = 20, .height = 10}};  // cells 2, 3 of row 1
  Index overlap = 0, strict = 0;
  for (Index cell = 0; cell < 32; ++cell) {
    const bool inside = points_at(one_hot(cell), kGrid, boxes);
    CHECK(inside == (cell == 10 || cell == 11));
    overlap += inside ? 1 : 0;
    strict += points_at(one_hot(cell), kGrid, boxes, {.tolerance = 0}) ? 1 : 0;
  }
  CHECK(strict == 2);  // centres (40, 24) and (56, 24)
  CHECK(pointing_chance(kGrid, boxes) == static_cast<double>(overlap) / 32);
  const std::vector<Rect> small = {
      {.x = 60, .y = 20, .width = 10, .height = 4}};  // holds no centre
  CHECK(points_at(one_hot(11), kGrid, small));
  CHECK(points_at(one_hot(12), kGrid, small));
  CHECK(!points_at(one_hot(13), kGrid, small));
  CHECK(!points_at(one_hot(11), kGrid, small, {.tolerance = 0}));
}

TEST_CASE("tallies count words without a right place separately") {
  const std::vector<Rect> boxes = {{.x = 0, .y = 0, .width = 16, .height = 16},
                                   {.x = 100, .y = 40, .width = 16, .height = 16}};
  PointingTally tally;
  tally.add(one_hot(0), kGrid, boxes);
  tally.add(one_hot(15), kGrid, boxes);
  tally.add(one_hot(0), kGrid, {});
  CHECK(tally.words == 2);
  CHECK(tally.hits == 1);
  CHECK(tally.without_boxes == 1);
  CHECK(tally.accuracy() == 0.5);
  CHECK(tally.mean_chance() == pointing_chance(kGrid, boxes));
  CHECK(PointingTally{}.accuracy() == 0);
}

TEST_CASE("invalid maps are refused, and equal weights point at the first cell") {
  const std::vector<Rect> boxes = {{.x = 0, .y = 0, .width = 16, .height = 16}};
  CHECK(points_at(std::vector<Real>(32, Real(0.03125)), kGrid, boxes));
  CHECK_THROWS_AS(points_at(std::vector<Real>(31), kGrid, boxes), ShapeError);
  CHECK_THROWS_AS(points_at(std::vector<Real>(32, static_cast<Real>(NAN)), kGrid, boxes),
                  ShapeError);
  CHECK_THROWS_AS(points_at({}, AttentionGrid{}, boxes), ShapeError);
}

}  // namespace saccade
