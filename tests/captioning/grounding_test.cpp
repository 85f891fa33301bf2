// The pointing game.
#include "captioning/study/grounding/grounding.h"

#include <cmath>

#include "captioning/study/grounding/map_fit.h"
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
    const double inside = pointing_share(one_hot(cell), kGrid, boxes);
    CHECK(inside == (cell == 10 || cell == 11 ? 1 : 0));
    overlap += inside > 0 ? 1 : 0;
    strict += pointing_share(one_hot(cell), kGrid, boxes, {.tolerance = 0}) > 0 ? 1 : 0;
  }
  CHECK(strict == 2);  // centres (40, 24) and (56, 24)
  CHECK(pointing_chance(kGrid, boxes) == static_cast<double>(overlap) / 32);
  const std::vector<Rect> small = {
      {.x = 60, .y = 20, .width = 10, .height = 4}};  // holds no centre
  CHECK(pointing_share(one_hot(11), kGrid, small) == 1);
  CHECK(pointing_share(one_hot(12), kGrid, small) == 1);
  CHECK(pointing_share(one_hot(13), kGrid, small) == 0);
  CHECK(pointing_share(one_hot(11), kGrid, small, {.tolerance = 0}) == 0);
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

TEST_CASE("cells that share the largest weight share the hit, in whatever order they are") {
  const std::vector<Rect> first = {{.x = 0, .y = 0, .width = 16, .height = 16}};
  const std::vector<Real> flat(32, Real(0.03125));
  CHECK(pointing_share(flat, kGrid, first) == 1.0 / 32);
  CHECK(pointing_share(flat, kGrid, first) == pointing_chance(kGrid, first));
  // Without the cells of padding, which no map can point at.
  std::vector<std::uint8_t> mask(32, 0);
  mask[0] = mask[1] = 1;
  CHECK(pointing_share(flat, kGrid, first, {.mask = mask}) == 0.5);
  // What differs by rounding is equal, what differs by more is not.
  std::vector<Real> two = one_hot(0);
  two[9] = std::nextafter(Real(1), Real(0));
  CHECK(pointing_share(two, kGrid, first) == 0.5);
  two[9] = Real(0.999);
  CHECK(pointing_share(two, kGrid, first) == 1);
  // The middle of an even grid is four cells: a box over one of them is hit in a quarter, whichever
  // it is; of an odd grid it is one cell. Also where the photo is only a part of the picture.
  for (const Rect& photo : {Rect{}, Rect{.x = 0, .y = 30, .width = 320, .height = 260}})
    for (const Index side : {4, 10, 14}) {
      const AttentionGrid grid = {
          .size = {side, side}, .height = 320, .width = 320, .photo = photo};
      for (const Index at : {side * (side / 2 - 1) + side / 2 - 1, side * (side / 2) + side / 2}) {
        const Rect cell = grid.cell(at);
        const Rect inside{cell.x + 1, cell.y + 1, cell.width - 2, cell.height - 2};
        CHECK(pointing_share(centre_map(grid), grid, {&inside, 1}) == 0.25);
      }
    }
  const AttentionGrid odd = {.size = {7, 7}, .height = 224, .width = 224};
  const Rect middle = odd.cell(24);
  CHECK(pointing_share(centre_map(odd), odd, {&middle, 1}) == 1);
}

TEST_CASE("invalid maps are refused") {
  const std::vector<Rect> boxes = {{.x = 0, .y = 0, .width = 16, .height = 16}};
  CHECK_THROWS_AS(pointing_share(std::vector<Real>(31), kGrid, boxes), ShapeError);
  CHECK_THROWS_AS(pointing_share(std::vector<Real>(32, static_cast<Real>(NAN)), kGrid, boxes),
                  ShapeError);
  CHECK_THROWS_AS(pointing_share({}, AttentionGrid{}, boxes), ShapeError);
}

}  // namespace saccade
