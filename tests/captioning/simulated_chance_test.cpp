// Whether intervals cover and tests err as often as they say, in simulations with fixed seeds.
// Bounds leave about two standard deviations of so many simulations.
#include "captioning/scoring/statistics/bootstrap.h"
#include "captioning/scoring/statistics/pearson.h"
#include "captioning/scoring/statistics/randomisation.h"
#include "captioning/scoring/statistics/rates.h"
#include "captioning/scoring/statistics/seeds.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade::simulated_chance_test {
namespace {

Random random_of(std::uint64_t simulation, std::uint64_t number) {
  return Random({19, Stream::kTest, simulation, number});
}

bool covers(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

// BLEU of captions of about ten words, of which a share that differs from image to image is right,
// and longer n-grams more rarely. A system's captions are drawn anew for the same images.
std::vector<ImageStatistics> drawn_bleu(Index images, std::uint64_t simulation,
                                        std::uint64_t system) {
  std::vector<BleuCounts> counts;
  for (Index i = 0; i < images; ++i) {
    Random shared = random_of(simulation, static_cast<std::uint64_t>(i));
    Random own = random_of(simulation, 1000 * (system + 1) + static_cast<std::uint64_t>(i));
    const double quality = 0.25 + 0.6 * shared.uniform();
    BleuCounts one;
    one.length = 7 + static_cast<std::int64_t>(own.below(7));
    one.reference_length = one.length;
    double right = 1;
    for (std::size_t n = 0; n < 4; ++n) {
      right *= quality;
      one.guess[n] = one.length - static_cast<std::int64_t>(n);
      for (std::int64_t g = 0; g < one.guess[n]; ++g) one.correct[n] += own.uniform() < right;
    }
    counts.push_back(one);
  }
  return {bleu_statistics(counts)[3]};
}

}  // namespace

TEST_CASE(
    "exchanging captions errs as often as it says, where the bootstrap of few images does not") {
  // Below 0 with every resample: what a bootstrap test would call a difference.
  const int simulations = 400;
  for (const Index images : {5, 10, 20, 100}) {
    int exchanged = 0, left_out = 0;
    for (int s = 0; s < simulations; ++s) {
      const auto key = static_cast<std::uint64_t>(s);
      const auto a = drawn_bleu(images, key, 0), b = drawn_bleu(images, key, 1);
      exchanged += randomisation_test(a, b, {.replicates = 199, .seed = key})[0].p_value <= 0.05;
      left_out += !covers(paired_bootstrap(a, b, {.replicates = 199, .seed = key})[0].interval, 0);
    }
    CAPTURE(images, exchanged, left_out);
    CHECK(exchanged <= 0.075 * simulations);
    if (images >= 10) CHECK(exchanged >= 0.02 * simulations);
    if (images <= 10) CHECK(left_out >= 0.085 * simulations);
  }
}

TEST_CASE("few images cannot give a small p-value") {
  // The smallest that n images allow is 2 / 2^n.
  for (const Index images : {2, 3, 5, 8}) {
    std::vector<double> worse(static_cast<std::size_t>(images), 0.1), better = worse;
    for (std::size_t i = 0; i < better.size(); ++i) better[i] = 0.5 + 0.01 * static_cast<double>(i);
    const std::vector<ImageStatistics> a{mean_statistics("mean", better)},
        b{mean_statistics("mean", worse)};
    CHECK(randomisation_test(a, b)[0].p_value == std::pow(2.0, 1 - static_cast<double>(images)));
  }
}

TEST_CASE("Wilson's interval of a rate covers near 1, where percentiles do not") {
  struct Case {
    double rate;
    Index images;
    std::uint64_t nouns;  // per image, all of them alike in half of the images
  };
  for (const Case& one : {Case{0.99, 100, 1}, Case{0.99, 100, 4}, Case{0.9, 50, 1},
                          Case{0.9, 200, 4}, Case{0.5, 100, 3}}) {
    int wilson = 0, percentiles = 0;
    const int simulations = 500;
    for (int s = 0; s < simulations; ++s) {
      Random random = random_of(static_cast<std::uint64_t>(s), 7);
      std::vector<double> hits, trials;
      for (Index i = 0; i < one.images; ++i) {
        const bool alike = random.uniform() < 0.5, first = random.uniform() < one.rate;
        double sum = first;
        for (std::uint64_t k = 1; k < one.nouns; ++k)
          sum += alike ? first : random.uniform() < one.rate;
        hits.push_back(sum);
        trials.push_back(static_cast<double>(one.nouns));
      }
      ImageStatistics rate = ratio_statistics("pointing_accuracy", hits, trials);
      REQUIRE(is_rate(rate));
      wilson += covers(rate_interval(rate, 0.95), one.rate);
      rate.metric = "unknown";  // has percentiles
      const std::vector<ImageStatistics> plain{rate};
      percentiles += covers(
          bootstrap(plain, {.replicates = 199, .seed = static_cast<std::uint64_t>(s)})[0].interval,
          one.rate);
    }
    CAPTURE(one.rate, one.images, one.nouns, wilson, percentiles);
    CHECK(wilson >= 0.9 * simulations);
    if (one.rate == 0.99 && one.nouns == 1) CHECK(percentiles <= 0.7 * simulations);
  }
  // By hand: 9 of 10.
  CHECK(wilson_interval(9, 10, 0.95).low == Approx(0.5958).margin(1e-4));
  CHECK(wilson_interval(9, 10, 0.95).high == Approx(0.9821).margin(1e-4));
  CHECK(wilson_interval(100, 100, 0.95).high == 1);
  CHECK(wilson_interval(100, 100, 0.95).low == Approx(0.9630).margin(1e-4));
  CHECK(rate_interval(mean_statistics("exact_match", std::vector<double>(100, 1)), 0.95).low ==
        Approx(0.9630).margin(1e-4));
  // Not every share is one of counts, nor every 0 and 1 a share.
  CHECK(!is_rate(
      ratio_statistics("attention_correctness", std::vector<double>{0.5}, std::vector<double>{1})));
  CHECK(!is_rate(mean_statistics("ROUGE_L", std::vector<double>{0, 1})));
  CHECK(!is_rate(mean_statistics("token_accuracy", std::vector<double>{0.25, 1})));
  CHECK(
      std::isnan(rate_interval(mean_statistics("exact_match", std::vector<double>{1}), 0.95).low));
}

TEST_CASE("the interval of paired seeds covers, whatever seeds and images differ by") {
  // By the deviation of the mean over seeds, with the standard error over images as the unit.
  const int simulations = 4000;
  for (const int seeds : {2, 3, 5}) {
    for (const double deviation : {0.5, 1.0, 3.0, 5.0, 30.0}) {
      int own = 0, joint = 0;
      double widest = 0;
      for (int s = 0; s < simulations; ++s) {
        Random random = random_of(static_cast<std::uint64_t>(s), static_cast<std::uint64_t>(seeds));
        double mean = 0, squares = 0;
        std::vector<double> runs(static_cast<std::size_t>(seeds));
        for (double& run : runs) {
          run = deviation * std::sqrt(seeds) * random.normal();
          mean += run / seeds;
        }
        for (const double run : runs) squares += (run - mean) * (run - mean);
        const double estimate = mean + random.normal();
        const std::vector<VarianceComponent> parts{{squares / (seeds - 1) / seeds, seeds - 1.0},
                                                   {1, 499}};
        const Interval each =
            EstimateError(parts, Combination::kEachItsOwn).interval(estimate, 0.95);
        const Interval sum =
            EstimateError(parts, Combination::kSatterthwaite).interval(estimate, 0.95);
        own += covers(each, 0);
        joint += covers(sum, 0);
        widest = std::max(widest, (each.high - each.low) / (sum.high - sum.low));
      }
      CAPTURE(seeds, deviation, own, joint, widest);
      CHECK(own >= 0.94 * simulations);
      if (seeds == 2 && deviation == 3) CHECK(joint <= 0.89 * simulations);
      if (seeds == 3) CHECK(widest <= 1.45);
      if (seeds == 5) CHECK(widest <= 1.14);
    }
  }
}

TEST_CASE("tests of runs err as often as they say: paired, one against several, and apart") {
  struct Case {
    std::vector<std::int64_t> a, b;
    SeedPairing pairing;
  };
  for (const Case& one :
       {Case{{1, 2, 3}, {1, 2, 3}, SeedPairing::kPaired},
        Case{{1}, {1, 2, 3}, SeedPairing::kOneRun}, Case{{1, 2, 3, 4}, {7}, SeedPairing::kOneRun},
        Case{{1, 2, 3}, {4, 5, 6, 7}, SeedPairing::kIndependent}}) {
    int found = 0;
    const int simulations = 400;
    for (int s = 0; s < simulations; ++s) {
      const auto key = static_cast<std::uint64_t>(s);
      const auto arm = [&](const std::vector<std::int64_t>& seeds, std::uint64_t number) {
        std::vector<SeedRun> out;
        for (const std::int64_t seed : seeds) {
          Random shared = random_of(key, 0);
          Random own = random_of(key, 100 * number + static_cast<std::uint64_t>(seed));
          const double shift = 0.5 * own.normal();
          std::vector<double> scores(40);
          for (double& score : scores) score = shared.normal() + shift + 0.5 * own.normal();
          out.push_back({seed, {mean_statistics("mean", scores)}});
        }
        return out;
      };
      const SeedDifference difference =
          compare_seeds(arm(one.a, 1), arm(one.b, 2), {.replicates = 60, .level = 0.95})[0];
      REQUIRE(difference.pairing == one.pairing);
      found += difference.p_value < 0.05;
    }
    CAPTURE(one.a.size(), one.b.size(), found);
    CHECK(found <= 0.07 * simulations);
  }
}

TEST_CASE("what can be found, and how often it is") {
  // In deviations of the paired difference, with a power of .80: at .05, and at .0125.
  struct Case {
    int seeds;
    double alone, of_four;
  };
  for (const Case& one : {Case{2, 11.6, 46}, Case{3, 3.3, 6.6}, Case{5, 1.7, 2.5}}) {
    const EstimateError error({{1.0 / one.seeds, one.seeds - 1.0}}, Combination::kEachItsOwn);
    CHECK(error.detectable(0.05) == Approx(one.alone).epsilon(0.03));
    CHECK(error.detectable(0.0125) == Approx(one.of_four).epsilon(0.03));
    const double least = error.detectable(0.05);
    int found = 0;
    const int simulations = 2000;
    for (int s = 0; s < simulations; ++s) {
      Random random = random_of(static_cast<std::uint64_t>(s), 3);
      std::vector<double> runs(static_cast<std::size_t>(one.seeds));
      double mean = 0;
      for (double& run : runs) mean += (run = least + random.normal()) / one.seeds;
      found += EstimateError({{variance_of(runs) / one.seeds, one.seeds - 1.0}},
                             Combination::kEachItsOwn)
                   .p_value(mean) < 0.05;
    }
    CAPTURE(one.seeds, found);
    CHECK(found >= 0.77 * simulations);
    CHECK(found <= 0.83 * simulations);
  }
}

TEST_CASE("arms that differ by the margin are called equal within it in one of twenty cases") {
  for (const double difference : {1.0, -1.0}) {
    int equal = 0;
    const int simulations = 4000, seeds = 5;
    for (int s = 0; s < simulations; ++s) {
      Random random = random_of(static_cast<std::uint64_t>(s), 5);
      std::vector<double> runs(seeds);
      double mean = 0;
      for (double& run : runs) mean += (run = difference + 0.3 * random.normal()) / seeds;
      equal += EstimateError({{variance_of(runs) / seeds, seeds - 1.0}}, Combination::kEachItsOwn)
                   .p_outside(mean, 1) < 0.05;
    }
    CHECK(equal <= 0.06 * simulations);
    CHECK(equal >= 0.04 * simulations);
  }
  const EstimateError narrow({{0.01, 4}}, Combination::kEachItsOwn);
  CHECK(narrow.p_outside(0, 1) < 0.001);
  CHECK(narrow.p_outside(2, 1) > 0.99);
}

TEST_CASE("Williams' test of two correlations with the same judgements") {
  // Its statistic by hand: r .8 and .5, .6 between them, 30 observations: t(27) = 2.8308.
  CHECK(williams_p_value(0.8, 0.5, 0.6, 30) == Approx(0.008661).margin(2e-6));
  CHECK(williams_p_value(0.5, 0.8, 0.6, 30) == williams_p_value(0.8, 0.5, 0.6, 30));
  CHECK(williams_p_value(0.5, 0.5, 0.6, 30) == 1);
  CHECK(std::isnan(williams_p_value(0.5, 0.4, 0.6, 3)));
  CHECK(std::isnan(williams_p_value(std::nan(""), 0.4, 0.6, 30)));
  int found = 0;
  const int simulations = 1000;
  for (int s = 0; s < simulations; ++s) {
    Random random = random_of(static_cast<std::uint64_t>(s), 11);
    std::vector<double> people, a, b;
    for (int i = 0; i < 50; ++i) {
      people.push_back(random.normal());
      const double both = random.normal();
      a.push_back(people.back() + both + random.normal());
      b.push_back(people.back() + both + random.normal());
    }
    found += williams_p_value(pearson(a, people), pearson(b, people), pearson(a, b), 50) < 0.05;
  }
  CHECK(found >= 0.03 * simulations);
  CHECK(found <= 0.07 * simulations);
}

}  // namespace saccade::simulated_chance_test
