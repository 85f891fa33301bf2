// Positions along a sequence.
#include "core/nn/sequence_positions.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

TEST_CASE("sinusoids follow their formula, from any position on") {
  const SinusoidalPositions positions({.most = 9, .features = 5});
  Arena arena;
  Tape tape(arena);
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
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(store.views());
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
