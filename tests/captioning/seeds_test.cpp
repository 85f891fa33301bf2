// Statistics across seeds, against values computed by hand and simulations.
#include "captioning/statistics/seeds.h"

#include <algorithm>
#include <cmath>

#include "captioning/statistics/bootstrap.h"
#include "captioning/statistics/student.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using Arm = std::vector<SeedRun>;

struct Effects {
  double seed = 0;    // standard deviation between seeds
  double rest = 0.5;  // between the images of one seed
  std::uint64_t key = 0;
};

// Scores of 60 images with mean 0: an effect of the image (deviation 1), one of the seed, and a
// rest.
Arm make_arm(std::initializer_list<std::int64_t> seeds, const Effects& effects) {
  const std::size_t images = 60;
  Arm arm;
  for (const std::int64_t seed : seeds) {
    const auto number = static_cast<std::uint64_t>(seed);
    Random shared({effects.key, Stream::kTest, 0, 0});
    Random own({effects.key, Stream::kTest, 1, number});
    const double shift = effects.seed * own.normal();
    std::vector<double> scores(images);
    for (double& v : scores) v = shared.normal() + shift + effects.rest * own.normal();
    arm.push_back({seed, {mean_statistics("mean", scores)}});
  }
  return arm;
}

Arm constant_arm(std::initializer_list<double> scores) {
  Arm arm;
  for (const double score : scores) {
    const std::vector<double> images(4, score);
    arm.push_back({std::ssize(arm) + 1, {mean_statistics("mean", images)}});
  }
  return arm;
}

double width(const Interval& interval) { return interval.high - interval.low; }
bool covers(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}
bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

}  // namespace

TEST_CASE("Student's t with one variance and with two") {
  const double quantile = 2.7764451052;  // 0.975 of t with 4 degrees of freedom
  const VarianceComponent one[] = {{1, 4}};
  CHECK(near(student_test(1, one, 0.95).interval.low, 1 - quantile));
  CHECK(near(student_test(1, one, 0.95).interval.high, 1 + quantile));
  CHECK(near(student_test(quantile, one, 0.95).p_value, 0.05));
  CHECK(near(student_test(0, one, 0.95).p_value, 1));
  const VarianceComponent two[] = {{1, 2}, {1, 2}};  // (1 + 1)^2 / (1/2 + 1/2) = 4 degrees
  CHECK(near(student_test(0, two, 0.95).interval.high, quantile * std::sqrt(2.0)));
  const VarianceComponent none[] = {{0, 4}};
  CHECK(student_test(0, none, 0.95).p_value == 1);
  CHECK(student_test(1, none, 0.95).p_value == 0);
  const VarianceComponent unknown[] = {{1, 4}, {std::nan(""), 0}};
  CHECK(std::isnan(student_test(0, unknown, 0.95).p_value));
}

TEST_CASE("mean, deviation and differences of seeds by hand") {
  const auto spread = across_seeds(constant_arm({1, 2, 6}), {.replicates = 999})[0];
  CHECK(spread.seeds == 3);
  CHECK(near(spread.mean, 3));
  CHECK(near(spread.deviation, std::sqrt(7.0)));
  CHECK(near(spread.intervals.bootstrap.low, 1));  // all three draws are the same: 1 of 27 for each
  CHECK(near(spread.intervals.bootstrap.high, 6));
  CHECK(near(width(spread.intervals.t_interval), 2 * 4.3026527297 * std::sqrt(7.0 / 3)));

  // Paired by seed, every run gains exactly 1, whatever is drawn.
  const Arm low = constant_arm({1, 2, 6});
  Arm high = constant_arm({2, 3, 7});
  std::reverse(high.begin(), high.end());  // the order of the runs does not matter
  const auto paired = compare_seeds(high, low, {.replicates = 999})[0];
  CHECK(paired.pairing == SeedPairing::kPaired);
  CHECK(near(paired.difference, 1));
  CHECK(near(paired.standard_error, 0));
  CHECK(near(width(paired.intervals.bootstrap), 0));
  CHECK(near(paired.p_value, 2.0 / 1000));
  // With other seeds, each arm is drawn for itself.
  high[0].seed = 9;
  const auto apart = compare_seeds(high, low, {.replicates = 999})[0];
  CHECK(apart.pairing == SeedPairing::kIndependent);
  CHECK(near(apart.difference, 1));
  CHECK(near(apart.standard_error, std::sqrt(14.0 / 3)));
  CHECK(width(apart.intervals.bootstrap) > 4);
  CHECK(apart.p_value > 0.3);
  CHECK(apart.t_p_value > 0.3);
}

TEST_CASE("differences between seeds widen the interval over images") {
  const Resampling resampling{.replicates = 999};
  const Arm differing = make_arm({1, 2, 3, 4, 5, 6}, {.seed = 0.5});
  const auto spread = across_seeds(differing, resampling)[0];
  // Over images alone: one run that is the mean of all runs.
  std::vector<double> mean(60);
  for (const SeedRun& run : differing) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += run.metrics[0].row(i)[0] / 6;
  }
  const std::vector<ImageStatistics> images = {mean_statistics("mean", mean)};
  const double images_only = width(bootstrap(images, resampling)[0].interval);
  CHECK(width(spread.intervals.bootstrap) > 1.3 * images_only);
  CHECK(width(spread.intervals.t_interval) > 1.3 * images_only);
  // Equal runs do not change the interval over images.
  const Arm equal = {{1, images}, {2, images}, {3, images}};
  const auto same = across_seeds(equal, resampling)[0];
  CHECK(near(width(same.intervals.bootstrap), images_only));
  const auto nothing = compare_seeds(equal, equal, resampling)[0];
  CHECK(nothing.difference == 0);
  CHECK(nothing.p_value == 1);
  CHECK(nothing.t_p_value == 1);
}

TEST_CASE("with three runs the t interval covers the mean where the bootstrap is too narrow") {
  int bootstrap_covers = 0, t_covers = 0;
  const int simulations = 1000;
  for (int s = 0; s < simulations; ++s) {
    const auto key = static_cast<std::uint64_t>(s);
    const auto spread = across_seeds(make_arm({1, 2, 3}, {.seed = 0.5, .key = key}),
                                     {.replicates = 199, .seed = key})[0];
    bootstrap_covers += covers(spread.intervals.bootstrap, 0) ? 1 : 0;
    t_covers += covers(spread.intervals.t_interval, 0) ? 1 : 0;
  }
  CHECK(t_covers >= 0.905 * simulations);
  CHECK(t_covers <= 0.97 * simulations);
  CHECK(bootstrap_covers >= 0.79 * simulations);
  CHECK(bootstrap_covers <= 0.87 * simulations);
}

TEST_CASE("a single run, none, and runs that do not fit") {
  const Arm single = make_arm({4}, {});
  const auto spread = across_seeds(single, {.replicates = 199})[0];
  const auto images = bootstrap(single[0].metrics, {.replicates = 199})[0];
  CHECK(spread.intervals.bootstrap.low == images.interval.low);
  CHECK(spread.intervals.bootstrap.high == images.interval.high);
  CHECK(std::isnan(spread.deviation));
  CHECK(std::isnan(spread.intervals.t_interval.low));
  CHECK_THROWS_AS(across_seeds({}), DataError);
  CHECK_THROWS_AS(across_seeds(make_arm({4, 4}, {})), DataError);
  CHECK_THROWS_AS(compare_seeds(single, {}), DataError);
  const Arm few_images = constant_arm({1});
  CHECK_THROWS_AS(compare_seeds(single, few_images), DataError);
  CHECK_THROWS_AS(across_seeds(Arm{single[0], few_images[0]}), DataError);
}

TEST_CASE("seeds have the same bits for 1, 2 and 4 threads") {
  const Arm a = make_arm({1, 2, 3}, {.seed = 0.2}),
            b = make_arm({1, 2, 5}, {.seed = 0.2, .key = 1});
  const auto numbers = [&] {
    const auto d = compare_seeds(a, b, {.replicates = 301})[0];
    return std::vector<double>{d.difference,
                               d.intervals.bootstrap.low,
                               d.intervals.bootstrap.high,
                               d.intervals.t_interval.low,
                               d.intervals.t_interval.high,
                               d.p_value,
                               d.t_p_value};
  };
  parallel::set_threads(1);
  const auto expected = numbers();
  for (const int threads : {2, 4}) {
    parallel::set_threads(threads);
    CHECK(numbers() == expected);
  }
}

}  // namespace saccade
