// Why scores are divided by sqrt(d_k): the numbers of `saccade_attend_bench scaling`.
#include "experiments/benchmarks/score_scaling.h"

#include <cmath>

#include "tests/support/catch.h"

namespace saccade::test {
namespace {

// The deviation of the estimated variance of q' k / sqrt(d), as a share of it. The scores of a
// query have the variance |q|^2 / d, which deviates itself by sqrt(2 / d) from query to query.
double deviation(Index width, const ScalingDraws& draws) {
  const auto queries = static_cast<double>(draws.queries),
             regions = static_cast<double>(draws.regions);
  const double spread = 2 / static_cast<double>(width);
  return std::sqrt((spread + 2 * (1 + spread) / regions) / queries);
}

TEST_CASE("the variance of scores is d_k, and that of scaled ones is 1") {
  const ScalingDraws draws{.regions = 49, .queries = 400};
  for (const Index width : {1, 2, 16, 64, 256}) {
    CAPTURE(width);
    const ScalingRow row = measure_scaling(width, draws);
    const double bound = 4 * deviation(width, draws), d = static_cast<double>(width);
    CHECK(row.width == width);
    CHECK(std::abs(row.scaled.variance - 1) < bound);
    CHECK(std::abs(row.plain.variance / d - 1) < bound);
    // The same numbers, only divided.
    CHECK(row.plain.variance == Approx(d * row.scaled.variance));
  }
}

TEST_CASE("without the scale, weights and gradients depend on d_k, and with it they do not") {
  const ScalingDraws draws{.regions = 49, .queries = 400};
  const ScalingRow narrow = measure_scaling(16, draws), wide = measure_scaling(256, draws);
  // 400 queries fix these means to a few per cent of them.
  CHECK(wide.scaled.entropy == Approx(narrow.scaled.entropy).epsilon(0.02));
  CHECK(wide.scaled.largest == Approx(narrow.scaled.largest).epsilon(0.1));
  CHECK(wide.scaled.jacobian == Approx(narrow.scaled.jacobian).epsilon(0.05));
  CHECK(wide.scaled.median_norm == Approx(narrow.scaled.median_norm).epsilon(0.05));
  CHECK(wide.plain.entropy < 0.5 * narrow.plain.entropy);
  CHECK(wide.plain.largest > 0.8);
  CHECK(narrow.plain.largest < 0.7);
  CHECK(wide.plain.jacobian < 0.6 * narrow.plain.jacobian);
  // Most queries get no gradient at all; the mean is that of the few that do.
  CHECK(wide.plain.median_norm < 0.2 * narrow.plain.median_norm);
  CHECK(wide.plain.median_norm < 0.5 * wide.plain.jacobian);
}

TEST_CASE("draws are those of seed, width and query") {
  const ScalingRow one = measure_scaling(8, {.regions = 5, .queries = 20, .seed = 1}),
                   same = measure_scaling(8, {.regions = 5, .queries = 20, .seed = 1}),
                   other = measure_scaling(8, {.regions = 5, .queries = 20, .seed = 2});
  CHECK(one.plain.variance == same.plain.variance);
  CHECK(one.plain.variance != other.plain.variance);
  // At a width of 1 there is nothing to scale.
  const ScalingRow single = measure_scaling(1, {.regions = 5, .queries = 20});
  CHECK(single.plain.jacobian == single.scaled.jacobian);
}

TEST_CASE("statistics of scores that are worked out by hand") {
  // Weights 1/4 and 3/4; the Jacobian is 3/16 [1 -1; -1 1], whose norm is 3/8.
  const double log_3 = std::log(3.0);
  const ScoreStatistics two = score_statistics({0, log_3}, 2);
  CHECK(two.variance == Approx(log_3 * log_3 / 2));
  CHECK(two.largest == Approx(0.75));
  CHECK(two.entropy == Approx((0.25 * std::log(4.0) + 0.75 * std::log(4.0 / 3)) / std::log(2.0)));
  CHECK(two.jacobian == Approx(0.375));
  CHECK(two.median_norm == Approx(0.375));

  // Uniform weights of four regions: ||I / 4 - 1 / 16||^2 = 4 (3 / 16)^2 + 12 (1 / 16)^2.
  const ScoreStatistics even = score_statistics({5, 5, 5, 5}, 4);
  CHECK(even.entropy == Approx(1));
  CHECK(even.largest == Approx(0.25));
  CHECK(even.jacobian == Approx(std::sqrt(48.0) / 16));

  // Where one weight is 1 in double precision, the norm is that of what the others have left: with
  // p = exp(-50) beside 1 the Jacobian is p [1 -1; -1 1].
  const ScoreStatistics sharp = score_statistics({50, 0}, 2);
  CHECK(sharp.largest == 1);
  CHECK(sharp.jacobian == Approx(2 * std::exp(-50.0)));

  // Means and the median are over queries.
  const ScoreStatistics both = score_statistics({0, log_3, 50, 0, 5, 5}, 2);
  CHECK(both.largest == Approx((0.75 + 1 + 0.5) / 3));
  CHECK(both.median_norm == Approx(0.375));
}

}  // namespace
}  // namespace saccade::test
