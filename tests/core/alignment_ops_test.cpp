// Windows and monotonic alignment against their definitions, and the small ops that are used with
// them.
#include "core/ops/alignment_ops.h"

#include "core/ops/attention_ops.h"
#include "core/ops/norm_ops.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "tests/support/catch.h"
#include "tests/support/close.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"

namespace saccade {

using test::close;
using test::noise;

namespace {

// Numbers in [0, 1); every third of them is exactly 0 or 1.
Tensor stops(const Shape& shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({1, Stream::kTest, 1, sample});
  for (Real& p : out.span()) p = static_cast<Real>(random.uniform());
  for (Index i = 0; i < out.size(); i += 3) out[i] = i % 2 == 0 ? 0 : 1;
  return out;
}

// Goes through all walks, one by one. Adds to reached[j] the probability that a walk stops at
// region j at the last step, for walks that are at region `at` at step `step` with probability
// `chance`.
void walk(const std::vector<Tensor>& stop, std::size_t step, Index at, double chance,
          std::vector<double>& reached) {
  const auto regions = static_cast<Index>(reached.size());
  if (step == stop.size()) {
    reached[static_cast<std::size_t>(at)] += chance;
    return;
  }
  // The query passes `at`, `at` + 1, ... until it stops; the next one begins there.
  for (Index end = at; end < regions; ++end) {
    double passed = chance;
    for (Index j = at; j < end; ++j) passed *= 1 - double{stop[step][j]};
    walk(stop, step + 1, end, passed * double{stop[step][end]}, reached);
  }
}

}  // namespace

TEST_CASE("scores refuse keys of fewer images than the queries need") {
  test::TestTape tape;
  const Tensor keys({2, 3, 4}), query({3, 4}), v({4});
  const Var k = tape.constant(keys.view()), q = tape.constant(query.view());
  CHECK_THROWS_AS(ops::dot_score(k, q, 1, 1), ShapeError);
  CHECK_THROWS_AS(ops::additive_score(k, q, tape.constant(v.view()), 1), ShapeError);
}

TEST_CASE("monotonic_alignment is the sum over all walks of the sequential process") {
  for (const Index regions : {1, 2, 5})
    for (const std::size_t steps : {1, 2, 4}) {
      CAPTURE(regions, steps);
      std::vector<Tensor> stop;
      for (std::size_t t = 0; t < steps; ++t) stop.push_back(stops({1, regions}, 10 * steps + t));
      std::vector<double> reached(static_cast<std::size_t>(regions));
      walk(stop, 0, 0, 1, reached);
      Tensor expected({1, regions});
      for (Index j = 0; j < regions; ++j)
        expected[j] = static_cast<Real>(reached[static_cast<std::size_t>(j)]);

      Tensor start({1, regions});  // before the first word the query is at region 0
      start[0] = 1;
      test::TestTape tape;
      Var alignment = tape.constant(start.view());
      for (const Tensor& p : stop)
        alignment = ops::monotonic_alignment(tape.constant(p.view()), alignment);
      CHECK(close(expected.view(), alignment.value()));
    }
}

TEST_CASE("monotonic_alignment with certain stops moves to them, row by row") {
  const Tensor stop({2, 3}, std::vector<Real>{0, 1, 1, 0, 0, 0});
  const Tensor previous({2, 3}, std::vector<Real>{Real(0.5), 0, Real(0.5), 1, 0, 0});
  test::TestTape tape;
  const Var y =
      ops::monotonic_alignment(tape.constant(stop.view()), tape.constant(previous.view()));
  const Tensor expected({2, 3}, std::vector<Real>{0, Real(0.5), Real(0.5), 0, 0, 0});
  CHECK(close(expected.view(), y.value()));
}

TEST_CASE("gaussian_window follows its formula, and a line of cells has one factor") {
  for (const GridSize grid : {GridSize{3, 5}, {1, 6}, {4, 1}, {1, 1}}) {
    CAPTURE(grid.rows, grid.cols);
    const double row_sigma = 0.75, col_sigma = 2;
    const Tensor weights = noise({4, grid.cells()}, 1), centre = noise({4, 2}, 2, 1);
    Tensor expected(weights.shape());
    for (Index r = 0; r < 4; ++r)
      for (Index l = 0; l < grid.cells(); ++l) {
        const double down = static_cast<double>(l / grid.cols) - double{centre[2 * r]};
        const double right = static_cast<double>(l % grid.cols) - double{centre[2 * r + 1]};
        double exponent = 0;
        if (grid.rows > 1) exponent += down * down / (2 * row_sigma * row_sigma);
        if (grid.cols > 1) exponent += right * right / (2 * col_sigma * col_sigma);
        expected.view().row(r)[l] =
            static_cast<Real>(double{weights.view().row(r)[l]} * std::exp(-exponent));
      }
    test::TestTape tape;
    const Var y = ops::gaussian_window(tape.constant(weights.view()), tape.constant(centre.view()),
                                       {.grid = grid,
                                        .row_sigma = static_cast<Real>(row_sigma),
                                        .col_sigma = static_cast<Real>(col_sigma)});
    CHECK(close(expected.view(), y.value()));
  }
}

TEST_CASE("alignment ops refuse what does not fit") {
  const Tensor a({2, 6}), b({2, 2}), c({3, 2});
  test::TestTape tape;
  const Var weights = tape.constant(a.view()), centre = tape.constant(b.view());
  CHECK_THROWS_WITH(ops::gaussian_window(weights, centre, {.grid = {2, 4}}),
                    "[gaussian_window] a grid of 2 x 4 cells for weights [2, 6]");
  CHECK_THROWS_AS(ops::gaussian_window(weights, tape.constant(c.view()), {.grid = {2, 3}}),
                  ShapeError);
  CHECK_THROWS_AS(ops::gaussian_window(weights, centre, {.grid = {2, 3}, .row_sigma = 0}),
                  ShapeError);
  CHECK_THROWS_AS(ops::monotonic_alignment(weights, centre), ShapeError);
  CHECK_THROWS_WITH(ops::slice_cols(weights, 4, 3), "[slice_cols] columns 4 to 7 of [2, 6]");
  CHECK_THROWS_AS(ops::leaky_relu(weights, 1), ShapeError);
}

TEST_CASE("normalize_rows gives rows of length 1, and stays finite at zero") {
  Tensor x = noise({3, 19}, 3);
  for (Index c = 0; c < 19; ++c) x.view().row(1)[c] = 0;
  for (Index c = 0; c < 19; ++c) x.view().row(2)[c] *= Real(1e4);
  test::TestTape tape;
  const Var in = tape.variable(x.view()), y = ops::normalize_rows(in);
  const double lengths[] = {1, 0, 1};
  for (Index r = 0; r < 3; ++r) {
    double squares = 0;
    for (Index c = 0; c < 19; ++c) squares += std::pow(double{y.value().row(r)[c]}, 2);
    CHECK(std::abs(squares - lengths[r]) <= 1e-5);
  }
  tape.backward(ops::dot_constant(y, std::vector<Real>(57, 2)));
  // Below the floor the op is linear: x / 1e-8.
  for (Index c = 0; c < 19; ++c) CHECK(double{tape.grad(in).row(1)[c]} == Approx(2e8));
}

TEST_CASE("leaky_relu, exp and slice_cols compute what their names mean") {
  const Tensor x({2, 3}, std::vector<Real>{-2, 0, 3, 1, -1, -4});
  test::TestTape tape;
  const Var in = tape.constant(x.view());
  const Tensor leaky({2, 3}, std::vector<Real>{Real(-0.5), 0, 3, 1, Real(-0.25), -1});
  CHECK(close(leaky.view(), ops::leaky_relu(in, Real(0.25)).value()));
  Tensor powers(x.shape());
  for (Index i = 0; i < 6; ++i) powers[i] = std::exp(x[i]);
  CHECK(close(powers.view(), ops::exp(in).value()));
  CHECK(close(Tensor({2, 2}, std::vector<Real>{0, 3, -1, -4}).view(),
              ops::slice_cols(in, 1, 2).value()));
  CHECK(ops::slice_cols(in, 0, 3).id() == in.id());
}

}  // namespace saccade
