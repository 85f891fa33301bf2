// Statistics across seeds, against values computed by hand. Their coverage is simulated in
// simulated_chance_test.cpp.
#include "captioning/scoring/statistics/seeds.h"

#include "captioning/scoring/statistics/bootstrap.h"
#include "captioning/scoring/statistics/kendall.h"
#include "captioning/scoring/statistics/student.h"
#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"

namespace saccade::seeds_test {
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
bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

}  // namespace

TEST_CASE("Student's t with one variance and with two") {
  const double quantile = 2.7764451052;  // 0.975 of t with 4 degrees of freedom
  for (const Combination rule : {Combination::kSatterthwaite, Combination::kEachItsOwn}) {
    const EstimateError one({{1, 4}}, rule);
    CHECK(near(one.interval(1, 0.95).low, 1 - quantile));
    CHECK(near(one.interval(1, 0.95).high, 1 + quantile));
    CHECK(near(one.p_value(quantile), 0.05));
    CHECK(near(one.p_value(-quantile), 0.05));
    CHECK(near(one.p_value(0), 1));
    const EstimateError none({{0, 4}}, rule);
    CHECK(none.p_value(0) == 1);
    CHECK(none.p_value(1) == 0);
    const EstimateError unknown({{1, 4}, {std::nan(""), 0}}, rule);
    CHECK(!unknown.known());
    CHECK(std::isnan(unknown.p_value(0)));
    CHECK(std::isnan(unknown.interval(0, 0.95).low));
    CHECK(std::isnan(unknown.detectable(0.05)));
  }
  // (1 + 1)^2 / (1/2 + 1/2) = 4 degrees, or t of 2 degrees for each.
  const std::vector<VarianceComponent> two{{1, 2}, {1, 2}};
  CHECK(near(EstimateError(two, Combination::kSatterthwaite).interval(0, 0.95).high,
             quantile * std::sqrt(2.0)));
  const EstimateError each(two, Combination::kEachItsOwn);
  CHECK(near(each.interval(0, 0.95).high, 4.3026527297 * std::sqrt(2.0)));
  // Interval and p-value say the same of 0, at every level.
  const EstimateError mixed({{1, 2}, {0.3, 499}}, Combination::kEachItsOwn);
  for (const double level : {0.5, 0.9, 0.95, 0.999, 0.999999})
    CHECK(mixed.p_value(mixed.interval(0, level).high) == Approx(1 - level).epsilon(1e-6));
}

TEST_CASE("mean, deviation and differences of seeds by hand") {
  const auto spread = across_seeds(constant_arm({1, 2, 6}), {.replicates = 999})[0];
  CHECK(spread.seeds == 3);
  CHECK(near(spread.mean, 3));
  CHECK(near(spread.deviation, std::sqrt(7.0)));
  CHECK(near(width(spread.interval), 2 * 4.3026527297 * std::sqrt(7.0 / 3)));

  // Paired by seed, every run gains exactly 1.
  const Arm low = constant_arm({1, 2, 6});
  Arm high = constant_arm({2, 3, 7});
  std::reverse(high.begin(), high.end());  // the order of the runs does not matter
  const auto paired = compare_seeds(high, low, {.replicates = 999})[0];
  CHECK(paired.pairing == SeedPairing::kPaired);
  CHECK(near(paired.difference, 1));
  CHECK(near(width(paired.interval), 0));
  CHECK(paired.p_value < 1e-6);
  // With other seeds, each arm varies by itself.
  high[0].seed = 9;
  const auto apart = compare_seeds(high, low, {.replicates = 999})[0];
  CHECK(apart.pairing == SeedPairing::kIndependent);
  CHECK(near(apart.difference, 1));
  CHECK(near(width(apart.interval), 2 * 2.7764451052 * std::sqrt(14.0 / 3)));  // 4 degrees
  CHECK(apart.p_value > 0.3);
  // A single run is taken to vary as the others do: sqrt(7) sqrt(1 + 1/3), with 2 degrees.
  const Arm one{{1, {mean_statistics("mean", std::vector<double>(4, 5))}}};
  for (const bool first : {true, false}) {
    const auto single = first ? compare_seeds(one, low, {.replicates = 999})[0]
                              : compare_seeds(low, one, {.replicates = 999})[0];
    CHECK(single.pairing == SeedPairing::kOneRun);
    CHECK(near(single.difference, first ? 2 : -2));  // of the means, not of a pair
    CHECK(near(width(single.interval), 2 * 4.3026527297 * std::sqrt(7 * (1 + 1.0 / 3))));
  }
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
  CHECK(width(spread.interval) > 1.3 * images_only);
  // Equal runs do not change the interval over images, but for Student's t.
  const Arm equal = {{1, images}, {2, images}, {3, images}};
  const auto same = across_seeds(equal, resampling)[0];
  CHECK(width(same.interval) == Approx(images_only).epsilon(0.1));
  const auto nothing = compare_seeds(equal, equal, resampling)[0];
  CHECK(nothing.difference == 0);
  CHECK(nothing.p_value == 1);
}

TEST_CASE("a single run, none, and runs that do not fit") {
  const Arm single = make_arm({4}, {});
  const auto spread = across_seeds(single, {.replicates = 199})[0];
  CHECK(std::isnan(spread.deviation));
  CHECK(std::isnan(spread.interval.low));
  const auto alone = compare_seeds(single, make_arm({4}, {.key = 1}), {.replicates = 199})[0];
  CHECK(!alone.error.known());
  CHECK(std::isnan(alone.p_value));
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
    return std::vector<double>{d.difference, d.interval.low, d.interval.high, d.p_value};
  };
  test::same_for_threads(numbers);
}

// Kendall's tau by hand, and against a loop over all pairs.
namespace {

using Values = std::vector<double>;

bool near(std::optional<double> a, double b) { return a && std::abs(*a - b) <= 1e-12; }

KendallCounts count_all_pairs(const Values& x, const Values& y) {
  KendallCounts out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool tied_x = x[i] == x[j], tied_y = y[i] == y[j];
      ++out.pairs;
      out.tied_x += tied_x ? 1 : 0;
      out.tied_y += tied_y ? 1 : 0;
      out.tied_both += tied_x && tied_y ? 1 : 0;
      if (tied_x || tied_y) continue;
      ++((x[i] < x[j]) == (y[i] < y[j]) ? out.concordant : out.discordant);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("tau by hand") {
  const KendallCounts plain = count_kendall(Values{1, 2, 3, 4, 5}, Values{3, 4, 1, 2, 5});
  CHECK(plain.concordant == 6);
  CHECK(plain.discordant == 4);
  CHECK(near(tau_b(plain), 0.2));
  CHECK(near(tau_c(plain), 0.2));  // equal without ties: n = m
  // Of 15 pairs, 3 are tied in x, 7 in y and 1 in both; 5 agree and 1 disagrees.
  const KendallCounts ties = count_kendall(Values{1, 1, 2, 2, 3, 3}, Values{1, 2, 1, 2, 2, 2});
  CHECK(ties.pairs == 15);
  CHECK(ties.tied_x == 3);
  CHECK(ties.tied_y == 7);
  CHECK(ties.tied_both == 1);
  CHECK(ties.concordant == 5);
  CHECK(ties.discordant == 1);
  CHECK(ties.distinct_x == 3);
  CHECK(ties.distinct_y == 2);
  CHECK(near(tau_b(ties), 4 / std::sqrt(12.0 * 8)));
  CHECK(near(tau_c(ties), 2 * 2 * 4 / (36.0 * 1)));
  // As far apart as scales of 3 and 2 steps allow: tau-c reaches 1 only for an even number of
  // steps.
  const KendallCounts steps = count_kendall(Values{1, 1, 2, 2}, Values{-7, -7, 8, 8});
  CHECK(*tau_b(steps) == 1);
  CHECK(*tau_c(steps) == 1);
}

TEST_CASE("tau equals the count over all pairs, with many ties and with few") {
  for (const std::uint64_t different : {2, 3, 7, 50, 100000}) {
    for (std::uint64_t length = 1; length < 130; length += 7) {
      Random random({1, Stream::kTest, different, length});
      Values x, y;
      for (std::uint64_t i = 0; i < length; ++i) {
        x.push_back(static_cast<double>(random.below(different)));
        y.push_back(std::floor(0.5 * x.back()) + static_cast<double>(random.below(different)));
      }
      const KendallCounts fast = count_kendall(x, y), slow = count_all_pairs(x, y);
      REQUIRE(fast.pairs == slow.pairs);
      REQUIRE(fast.concordant == slow.concordant);
      REQUIRE(fast.discordant == slow.discordant);
      REQUIRE(fast.tied_x == slow.tied_x);
      REQUIRE(fast.tied_y == slow.tied_y);
      REQUIRE(fast.tied_both == slow.tied_both);
    }
  }
}

TEST_CASE("tau of long, equal, opposite and unusable vectors") {
  Values up, down, level;
  for (int i = 0; i < 300000; ++i) {
    up.push_back(i);
    down.push_back(-i);
    level.push_back(1);
  }
  CHECK(count_kendall(up, down).discordant == std::int64_t{300000} * 299999 / 2);  // above 2^32
  CHECK(*tau_b(count_kendall(up, up)) == 1);
  CHECK(*tau_b(count_kendall(up, down)) == -1);
  CHECK_FALSE(tau_b(count_kendall(up, level)));
  CHECK_FALSE(tau_c(count_kendall(level, up)));
  CHECK_FALSE(tau_b(count_kendall({}, {})));
  CHECK_FALSE(tau_c(count_kendall(Values{1}, Values{2})));
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(*tau_b(count_kendall(Values{-infinity, 0, infinity}, Values{1, 2, 3})) == 1);
  CHECK(count_kendall(Values{0.0, -0.0}, Values{1, 2}).tied_x == 1);
  CHECK_THROWS_AS(count_kendall(Values{1, 2}, Values{1}), DataError);
  CHECK_THROWS_AS(count_kendall(Values{1, std::nan("")}, Values{1, 2}), DataError);
}

}  // namespace saccade::seeds_test
