// Shares of a map inside boxes, and localisation.
#include "captioning/study/grounding/map_fit.h"

#include "captioning/study/grounding/grounding.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

const AttentionGrid kGrid = {.size = {4, 8}, .height = 64, .width = 128};  // cells of 16

std::vector<Real> map_of(const std::vector<std::pair<Index, Real>>& weights) {
  std::vector<Real> out(32, Real(0));
  for (const auto& [cell, weight] : weights) out[static_cast<std::size_t>(cell)] = weight;
  return out;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

// The interpolated map at a point, by its definition: linear between the centres of cells, where
// the outermost values continue to the border.
double interpolated(const std::vector<Real>& map, const AttentionGrid& grid, double x, double y) {
  const Rect cell = grid.cell(0);
  const auto split = [](double at, Index count) {
    const double u = std::clamp(at - 0.5, 0.0, static_cast<double>(count - 1));
    const auto low = std::min(static_cast<Index>(u), std::max<Index>(count - 2, 0));
    return std::pair(low, u - static_cast<double>(low));
  };
  const auto [row, down] = split(y / cell.height, grid.size.rows);
  const auto [col, across] = split(x / cell.width, grid.size.cols);
  const auto at = [&](Index r, Index c) {
    return static_cast<double>(map[static_cast<std::size_t>(
        std::min(r, grid.size.rows - 1) * grid.size.cols + std::min(c, grid.size.cols - 1))]);
  };
  return (1 - down) * ((1 - across) * at(row, col) + across * at(row, col + 1)) +
         down * ((1 - across) * at(row + 1, col) + across * at(row + 1, col + 1));
}

}  // namespace

TEST_CASE("attention correctness is the share of the weight inside the boxes") {
  const std::vector<Rect> boxes = {{.x = 32, .y = 16, .width = 32, .height = 16}};  // cells 10, 11
  const BoxedWord word(kGrid, boxes);
  CHECK(near(word.area_share(), 2.0 / 32));
  CHECK(near(word.correctness(map_of({{10, Real(0.25)}, {11, Real(0.75)}})), 1));
  CHECK(near(word.correctness(map_of({{10, Real(0.3)}, {9, Real(0.5)}, {0, Real(0.2)}})), 0.3));
  CHECK(word.correctness(map_of({})) == 0);
  // A cell that is cut contributes the part that is inside: three quarters of the width, half the
  // height.
  const std::vector<Rect> cut = {{.x = 36, .y = 16, .width = 12, .height = 8}};
  CHECK(near(BoxedWord(kGrid, cut).correctness(map_of({{10, 1}})), 0.375));
  // If the weights sum to less than 1 (a sentinel took the rest), it is a share of what is on the
  // picture.
  CHECK(near(word.correctness(map_of({{10, Real(0.1)}, {0, Real(0.1)}})), 0.5));
}

TEST_CASE("equal weights have the boxes' share of the picture, whatever the boxes") {
  Random random({.seed = 7});
  const auto number = [&](double most) { return random.uniform() * most; };
  const std::vector<Real> uniform(32, Real(0.03125));
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Rect> boxes;
    for (int b = 0; b < 3; ++b) boxes.push_back({number(120), number(60), number(40), number(30)});
    AttentionGrid grid = kGrid;
    if (trial % 2 == 1) grid.photo = {0, 8, 128, 48};  // padding above and below
    const BoxedWord word(grid, boxes);
    CHECK(near(word.correctness(uniform), word.area_share()));
    CHECK(near(word.energy(uniform), word.area_share()));
    // The area of the union, by counting points.
    constexpr int kFine = 4;
    double inside = 0;
    const Rect shown = grid.shown();
    for (int y = 0; y < 64 * kFine; ++y)
      for (int x = 0; x < 128 * kFine; ++x) {
        const double px = (x + 0.5) / kFine, py = (y + 0.5) / kFine;
        inside += shown.contains(px, py) &&
                  std::any_of(boxes.begin(), boxes.end(),
                              [&](const Rect& box) { return box.contains(px, py); });
      }
    CHECK(std::abs(inside / (kFine * kFine) / (shown.width * shown.height) - word.area_share()) <
          0.004);
  }
}

TEST_CASE("energy pointing is the share of the interpolated map") {
  Random random({.seed = 3});
  std::vector<Real> map;
  for (int i = 0; i < 32; ++i) map.push_back(static_cast<Real>(random.uniform()));
  const std::vector<Rect> boxes = {{.x = 20, .y = 3, .width = 50, .height = 40},
                                   {.x = 60, .y = 30, .width = 68, .height = 34}};
  double inside = 0, whole = 0;
  constexpr int kFine = 4;
  for (int y = 0; y < 64 * kFine; ++y)
    for (int x = 0; x < 128 * kFine; ++x) {
      const double px = (x + 0.5) / kFine, py = (y + 0.5) / kFine;
      const double value = interpolated(map, kGrid, px, py);
      whole += value;
      if (boxes[0].contains(px, py) || boxes[1].contains(px, py)) inside += value;
    }
  CHECK(std::abs(BoxedWord(kGrid, boxes).energy(map) - inside / whole) < 1e-4);
  // All on one cell: within half a cell of its centre lies 3/4 of a hat, in each direction.
  const std::vector<Rect> cell = {kGrid.cell(10)};
  CHECK(near(BoxedWord(kGrid, cell).energy(map_of({{10, 1}})), 0.75 * 0.75));
}

TEST_CASE("localisation takes the largest group of heavy cells") {
  const std::vector<Rect> boxes = {
      {.x = 32, .y = 16, .width = 32, .height = 32}};  // cells 10 11 18 19
  const BoxedWord word(kGrid, boxes);
  const auto square = map_of({{10, Real(0.3)}, {11, Real(0.2)}, {18, Real(0.2)}, {19, Real(0.1)}});
  CHECK(near(word.overlap(square, 0.2), 1));
  // A single distant cell with a larger weight is another group, and a smaller one.
  auto stray = square;
  stray[7] = Real(0.4);
  CHECK(near(word.overlap(stray, 0.2), 1));
  // Cells below the threshold are no part of it: cell 10 alone is a quarter of the box.
  CHECK(near(word.overlap(square, 0.7), 0.25));
  CHECK(near(word.overlap(map_of({{10, 1}}), 0.2), 0.25));
  // Cells that touch at a corner are neighbours, so 10 and 19 span the box.
  CHECK(near(word.overlap(map_of({{10, 1}, {19, 1}}), 0.2), 1));
  CHECK(word.overlap(map_of({{0, 1}}), 0.2) == 0);
  CHECK(word.overlap(map_of({}), 0.2) == 0);
  const std::vector<Rect> two = {{.x = 0, .y = 0, .width = 8, .height = 8},
                                 {.x = 32, .y = 16, .width = 32, .height = 16}};
  CHECK(near(BoxedWord(kGrid, two).overlap(map_of({{10, 1}, {11, 1}}), 0.2), 1));
}

TEST_CASE("padding is not a part of the picture") {
  AttentionGrid grid = kGrid;
  grid.photo = {0, 24, 128, 24};  // half of row 1, row 2
  const std::vector<Rect> boxes = {
      {.x = 0, .y = 0, .width = 64, .height = 64}};  // the left half of it
  const BoxedWord word(grid, boxes);
  CHECK(near(word.area_share(), 0.5));
  // Half of cell 8 is padding, so only half of its weight is on the picture.
  CHECK(near(word.correctness(map_of({{8, Real(0.5)}, {23, Real(0.25)}})), 0.5));
  CHECK(near(word.correctness(map_of({{0, 1}, {16, Real(0.1)}})), 1));
  const std::vector<Rect> strip = {{.x = 0, .y = 24, .width = 16, .height = 8}};
  CHECK(near(BoxedWord(grid, strip).overlap(map_of({{8, 1}}), 0.2), 1));
}

TEST_CASE("the centre map has its weight in the middle of the photo") {
  AttentionGrid grid = {.size = {3, 3}, .height = 48, .width = 48};
  const std::vector<Real> map = centre_map(grid);
  CHECK(peak(map) == 4);
  CHECK(map[0] == map[8]);
  CHECK(map[1] > map[0]);
  // One cell away from the middle is 4/3 standard deviations.
  CHECK(near(map[1] / map[4], std::exp(-8.0 / 9)));
  grid.photo = {0, 0, 48, 16};
  CHECK(peak(centre_map(grid)) == 1);
  CHECK_THROWS_AS(centre_map(AttentionGrid{}), ShapeError);
  CHECK_THROWS_AS(BoxedWord(kGrid, {}).correctness(std::vector<Real>(31)), ShapeError);
}

// The pointing game.
namespace {

const AttentionGrid kEightCells = {.size = {4, 8}, .height = 64, .width = 128};  // cells of 16

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
    const double inside = pointing_share(one_hot(cell), kEightCells, boxes);
    CHECK(inside == (cell == 10 || cell == 11 ? 1 : 0));
    overlap += inside > 0 ? 1 : 0;
    strict += pointing_share(one_hot(cell), kEightCells, boxes, {.tolerance = 0}) > 0 ? 1 : 0;
  }
  CHECK(strict == 2);  // centres (40, 24) and (56, 24)
  CHECK(pointing_chance(kEightCells, boxes) == static_cast<double>(overlap) / 32);
  const std::vector<Rect> small = {
      {.x = 60, .y = 20, .width = 10, .height = 4}};  // holds no centre
  CHECK(pointing_share(one_hot(11), kEightCells, small) == 1);
  CHECK(pointing_share(one_hot(12), kEightCells, small) == 1);
  CHECK(pointing_share(one_hot(13), kEightCells, small) == 0);
  CHECK(pointing_share(one_hot(11), kEightCells, small, {.tolerance = 0}) == 0);
}

TEST_CASE("tallies count words without a right place separately") {
  const std::vector<Rect> boxes = {{.x = 0, .y = 0, .width = 16, .height = 16},
                                   {.x = 100, .y = 40, .width = 16, .height = 16}};
  PointingTally tally;
  tally.add(one_hot(0), kEightCells, boxes);
  tally.add(one_hot(15), kEightCells, boxes);
  tally.add(one_hot(0), kEightCells, {});
  CHECK(tally.words == 2);
  CHECK(tally.hits == 1);
  CHECK(tally.without_boxes == 1);
  CHECK(tally.accuracy() == 0.5);
  CHECK(tally.mean_chance() == pointing_chance(kEightCells, boxes));
  CHECK(PointingTally{}.accuracy() == 0);
}

TEST_CASE("cells that share the largest weight share the hit, in whatever order they are") {
  const std::vector<Rect> first = {{.x = 0, .y = 0, .width = 16, .height = 16}};
  const std::vector<Real> flat(32, Real(0.03125));
  CHECK(pointing_share(flat, kEightCells, first) == 1.0 / 32);
  CHECK(pointing_share(flat, kEightCells, first) == pointing_chance(kEightCells, first));
  // Without the cells of padding, which no map can point at.
  std::vector<std::uint8_t> mask(32, 0);
  mask[0] = mask[1] = 1;
  CHECK(pointing_share(flat, kEightCells, first, {.mask = mask}) == 0.5);
  // What differs by rounding is equal, what differs by more is not.
  std::vector<Real> two = one_hot(0);
  two[9] = std::nextafter(Real(1), Real(0));
  CHECK(pointing_share(two, kEightCells, first) == 0.5);
  two[9] = Real(0.999);
  CHECK(pointing_share(two, kEightCells, first) == 1);
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
  CHECK_THROWS_AS(pointing_share(std::vector<Real>(31), kEightCells, boxes), ShapeError);
  CHECK_THROWS_AS(pointing_share(std::vector<Real>(32, static_cast<Real>(NAN)), kEightCells, boxes),
                  ShapeError);
  CHECK_THROWS_AS(pointing_share({}, AttentionGrid{}, boxes), ShapeError);
}

TEST_CASE("of regions that are boxes, the heaviest is the object, and weights lie evenly in them") {
  // Two boxes and one of padding, over a picture of 100 x 50.
  AttentionGrid grid{.size = {1, 3}, .height = 50, .width = 100};
  grid.boxes = std::vector<Rect>{{.x = 0, .y = 0, .width = 40, .height = 40},
                                 {.x = 60, .y = 10, .width = 20, .height = 20}};
  const std::vector<Rect> thing = {{.x = 10, .y = 10, .width = 30, .height = 30}};
  const BoxedWord word(grid, thing);
  // Nine sixteenths of the first box are inside, and nothing of the second.
  CHECK(word.cell_shares() == std::vector<Real>{Real(0.5625), 0, 0});
  CHECK(near(word.area_share(), 0.5625 / 2));
  const std::vector<Real> weights{Real(0.75), Real(0.25), 0};
  CHECK(near(word.correctness(weights), 0.75 * 0.5625));
  CHECK(near(word.energy(weights), 0.75 * 0.5625));
  CHECK(near(word.overlap(weights, 0.2), 900.0 / 1600));
  CHECK(word.overlap(std::vector<Real>{0, 1, 0}, 0.2) == 0);
  const std::vector<std::uint8_t> mask{1, 1, 0};
  CHECK(pointing_share(weights, grid, thing, {.mask = mask}) == 1);
  CHECK(pointing_share(std::vector<Real>{0, 1, 0}, grid, thing, {.mask = mask}) == 0);
  CHECK(pointing_chance(grid, thing, {.mask = mask}) == 0.5);
  // The centre itself has to be inside, whatever the tolerance.
  const std::vector<Rect> beside = {{.x = 21, .y = 0, .width = 30, .height = 50}};
  CHECK(pointing_share(weights, grid, beside, {.mask = mask}) == 0);
  const std::vector<Real> centre = centre_map(grid);
  CHECK(centre[1] > centre[0]);
  CHECK(centre[2] == 0);
}

}  // namespace saccade
