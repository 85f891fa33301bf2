#include "core/nn/grid_positions.h"
#include "core/nn/sequence_positions.h"
#include "tests/support/catch.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"

namespace saccade {

TEST_CASE("times of frames are added as the published sinusoids of their steps") {
  const auto places = [](std::vector<float> times, float step) {
    const auto count = static_cast<Index>(times.size());
    return std::make_shared<const RegionBoxes>(
        RegionBoxes{.count = count, .in_time = true, .times = std::move(times), .step = step});
  };
  const std::array all{places({0, 0.5F, 1.75F}, 0.5F), places({2}, 0.5F)};
  test::TestTape tape;
  const Tensor x = test::noise({2, 3, 4}, 1);
  const Var in = tape.variable(x.view());
  const Var y = add_times(tape, in, all);
  const double steps[] = {0, 1, 3.5, 4};
  for (Index r = 0; r < 4; ++r) {
    const double p = steps[r];
    const double waves[] = {std::sin(p), std::cos(p), std::sin(p / 100), std::cos(p / 100)};
    for (Index d = 0; d < 4; ++d)
      CHECK(std::abs(y.value().row(r)[d] - x[4 * r + d] - waves[d]) < 1e-6);
  }
  for (Index i = 16; i < 24; ++i) CHECK(y.value().data[i] == x[i]);  // padding
  CHECK_THROWS_AS(add_times(tape, in, std::span(all).first(1)), ShapeError);
}

TEST_CASE("sinusoids of the published formula have it on both axes, for any width") {
  struct Expected {
    Index features;
    std::vector<double> channels;  // of the cell in row 3, column 5
  };
  // position / 10000^(2i / d), with d of the axis: 4 and 4; 3 and 2; 1 and 1; 1 and none.
  const Expected all[] = {{8,
                           {std::sin(3.0), std::cos(3.0), std::sin(0.03), std::cos(0.03),
                            std::sin(5.0), std::cos(5.0), std::sin(0.05), std::cos(0.05)}},
                          {5,
                           {std::sin(3.0), std::cos(3.0), std::sin(3.0 / 464.15888336127773),
                            std::sin(5.0), std::cos(5.0)}},
                          {2, {std::sin(3.0), std::sin(5.0)}},
                          {1, {std::sin(3.0)}}};
  for (const auto& [features, channels] : all) {
    INFO(features);
    ParameterStore store;
    const GridPositions positions(ParamScope(store, "positions"), PositionKind::kSinusoidal2d,
                                  {{.rows = 6, .cols = 7}, features});
    CHECK(positions.features() == features);
    CHECK(store.count() == 0);
    test::TestTape tape;
    const Tensor ones({2, 42, features},
                      std::vector<Real>(static_cast<std::size_t>(84 * features), 1));
    const Var y = positions(tape, tape.constant(ones.view()));
    for (const Index sample : {0, 1})
      for (Index c = 0; c < features; ++c)
        CHECK(std::abs(y.value().row(sample * 42 + 3 * 7 + 5)[c] - 1 -
                       static_cast<Real>(channels[static_cast<std::size_t>(c)])) < 1e-6);
  }
}

TEST_CASE("learned positions are one vector per cell, the same for every sample") {
  ParameterStore store;
  const GridPositions positions(ParamScope(store, "positions"), PositionKind::kLearned,
                                {{.rows = 2, .cols = 3}, 4});
  store.initialise(1);
  REQUIRE(store.count() == 1);
  CHECK(store.info(0).shape == Shape{6, 4});
  test::TestTape tape(store.views());
  const Tensor zeros({2, 6, 4});
  const Var y = positions(tape, tape.constant(zeros.view()));
  for (Index i = 0; i < 48; ++i) CHECK(y.value()[i] == store.value(0)[i % 24]);
}

TEST_CASE("positions of another grid are refused") {
  test::TestTape tape;
  const Tensor x({1, 6, 4});
  ParameterStore store;
  const GridPositions positions(ParamScope(store, "positions"), PositionKind::kNone,
                                {{.rows = 2, .cols = 2}, 4});
  CHECK_THROWS_AS(positions(tape, tape.constant(x.view())), ShapeError);
}

// Positions along a sequence.
TEST_CASE("sinusoids follow their formula, from any position on") {
  const SinusoidalPositions positions({.most = 9, .features = 5});
  test::TestTape tape;
  const Tensor x = test::noise({2, 4, 5}, 1);
  for (const Index first : {0, 5}) {
    const Var y = positions(tape, tape.constant(x.view()), first);
    REQUIRE(y.shape() == x.shape());
    for (Index r = 0; r < 8; ++r)
      for (Index c = 0; c < 5; ++c) {
        const double angle =
            static_cast<double>(first + r % 4) / std::pow(1e4, static_cast<double>(c / 2 * 2) / 5);
        const double wave = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
        CHECK(std::abs(double{y.value().row(r)[c]} - double{x.view().row(r)[c]} - wave) < 1e-6);
      }
  }
  CHECK_THROWS_AS(positions(tape, tape.constant(x.view()), 6), ShapeError);
}

TEST_CASE("learned positions are rows of a table that learns from every sample") {
  ParameterStore store;
  const LearnedPositions positions(ParamScope(store, "positions"), {.most = 5, .features = 3});
  store.initialise(1);
  const Tensor x = test::noise({2, 4, 3}, 1), dy = test::noise({2, 4, 3}, 2);
  test::TestTape tape(store.views());
  const Var y = positions(tape, tape.constant(x.view()), 1);
  for (Index r = 0; r < 8; ++r)
    for (Index c = 0; c < 3; ++c)
      CHECK(y.value().row(r)[c] == x.view().row(r)[c] + store.value(0).row(1 + r % 4)[c]);
  tape.backward(std::vector{y}, std::vector{dy.view()});
  const std::vector<Real> gradient = test::parameter_gradients(tape, store);
  for (Index t = 0; t < 5; ++t)
    for (Index c = 0; c < 3; ++c)
      CHECK(gradient[static_cast<std::size_t>(3 * t + c)] ==
            (t == 0 ? 0 : dy.view().row(t - 1)[c] + dy.view().row(t + 3)[c]));
  CHECK_THROWS_AS(positions(tape, tape.constant(x.view()), 2), ShapeError);
}

}  // namespace saccade
