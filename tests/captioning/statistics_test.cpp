// Bootstrap and randomisation over images: against plain loops, by hand and by simulation.
#include "captioning/scoring/statistics/bootstrap.h"
#include "captioning/scoring/statistics/randomisation.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/same_for_threads.h"

namespace saccade::statistics_test {
namespace {

using Systems = std::vector<ImageStatistics>;

std::vector<double> normals(Index count, double mean, std::uint64_t key) {
  Random random({7, Stream::kTest, key, 0});
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& v : out) v = mean + random.normal();
  return out;
}

Systems means(const std::vector<double>& scores) { return {mean_statistics("mean", scores)}; }

// Small whole numbers. Their score is the ratio of the first two sums.
ImageStatistics ratio(std::string name, Index images, Index width, std::uint64_t key) {
  Random random({7, Stream::kTest, key, 1});
  std::vector<double> rows(static_cast<std::size_t>(images * width));
  for (double& v : rows) v = static_cast<double>(1 + random.below(20));
  return {.metric = std::move(name),
          .images = images,
          .width = width,
          .rows = std::make_shared<const std::vector<double>>(std::move(rows)),
          .score = [](std::span<const double> sums, Index) { return sums[0] / sums[1]; }};
}

// The score of the same statistics with other rows.
double whole_of(ImageStatistics statistics, std::vector<double> rows) {
  statistics.rows = std::make_shared<const std::vector<double>>(std::move(rows));
  return statistics.whole();
}

bool covers(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-12; }

}  // namespace

TEST_CASE("METEOR's rows add up to the score of the summed statistics") {
  std::vector<MeteorStats> images;
  MeteorStats sum;
  for (std::int64_t image = 1; image <= 3; ++image) {
    std::array<std::int64_t, MeteorStats::kValues> values{};
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = 20 * image + static_cast<std::int64_t>(k * k) % 13;
    images.push_back(MeteorStats::from(values));
    sum += images.back();
  }
  CHECK(near(meteor_statistics(images).whole(), meteor_score(sum)));
}

TEST_CASE("weighted sums equal those of a plain loop") {
  const Index images = GENERATE(1, 23, 2100), replicates = 37;
  Systems systems = {ratio("a", images, 3, 0), ratio("b", images, 10, 1), ratio("c", images, 2, 2)};
  systems.push_back(systems[1]);  // shares the rows of the other
  RowTable table;
  table.add(systems);
  const auto weight = [](Index replicate, std::size_t image) {
    return static_cast<double>((replicate * 31 + static_cast<Index>(image) * 7) % 5);
  };
  std::vector<int> wrong(static_cast<std::size_t>(replicates));
  for_weighted_sums(
      table, replicates,
      [&](Index r, std::span<double> weights) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(images); ++i) {
          weights[i] = weight(r, i);
        }
      },
      [&](Index r, std::span<const double> sums) {
        for (std::size_t s = 0; s < systems.size(); ++s) {
          const auto width = static_cast<std::size_t>(systems[s].width);
          std::vector<double> expected(width);
          for (std::size_t i = 0; i < systems[s].rows->size(); ++i) {
            expected[i % width] += weight(r, i / width) * (*systems[s].rows)[i];
          }
          const auto got = table.sums_of(s, sums);
          wrong[static_cast<std::size_t>(r)] +=
              std::equal(expected.begin(), expected.end(), got.begin(), got.end()) ? 0 : 1;
        }
      });
  CHECK(wrong == std::vector<int>(static_cast<std::size_t>(replicates), 0));
}

TEST_CASE("a resample is scored from sums and not from means") {
  const std::vector<Words> candidates = {split_words("a red ball on the grass"),
                                         split_words("two dogs")};
  const std::vector<std::vector<Words>> references = {{split_words("a red ball in the grass")},
                                                      {split_words("two big dogs run")}};
  WordNumbers numbers;
  const CountedCorpus corpus = count_corpus(candidates, references, numbers);
  const auto counts = [&](std::size_t i) {
    return count_bleu(corpus.candidates[i], corpus.references[i]);
  };
  const std::vector<BleuCounts> both = {counts(0), counts(1)};
  const Systems bleu = bleu_statistics(both);
  REQUIRE(bleu.size() == 8);
  const auto named = named_bleu(score_bleu(count_bleu(corpus)));
  for (std::size_t m = 0; m < bleu.size(); ++m) {
    CHECK(bleu[m].metric == named[m].first);
    CHECK(bleu[m].whole() == named[m].second);
  }
  // Two images make three resamples: one of them twice, or both.
  RowTable table;
  table.add(bleu);
  CHECK(table.tiles().size() == 2 * 12);  // BLEU's counts are there once, in whole tiles
  const auto scores = resample_scores(table, {.replicates = 200});
  for (std::size_t m = 0; m < bleu.size(); ++m) {
    std::vector<double> possible = {named[m].second};
    for (std::size_t i = 0; i < 2; ++i) {
      BleuCounts twice = both[i];
      twice += both[i];
      possible.push_back(named_bleu(score_bleu(twice))[m].second);
    }
    std::vector<double> seen = scores[m];
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    std::sort(possible.begin(), possible.end());
    CHECK(seen == possible);
  }
}

TEST_CASE("percentiles are ranks") {
  std::vector<double> values;
  for (int i = 39; i >= 1; --i) values.push_back(i);
  const Interval interval = percentile_interval(values, 0.95);  // rank 40 * 0.025
  CHECK(interval.low == 1);
  CHECK(interval.high == 39);
  CHECK(percentile_interval(values, 0.9).low == 2);
  CHECK_THROWS_AS(percentile_interval(values, 0.96), UsageError);
  CHECK_THROWS_AS(percentile_interval(values, 1), UsageError);
}

TEST_CASE("the bootstrap interval of a mean covers it about as often as its level demands") {
  int covered = 0;
  const int simulations = 400;
  for (int s = 0; s < simulations; ++s) {
    const auto out = bootstrap(means(normals(80, 3, static_cast<std::uint64_t>(s))),
                               {.replicates = 399, .seed = static_cast<std::uint64_t>(s)});
    covered += covers(out[0].interval, 3) ? 1 : 0;
  }
  // 95 %, minus one per cent for 80 images, give or take two standard deviations of 400 runs.
  CHECK(covered >= 0.92 * simulations);
  CHECK(covered <= 0.97 * simulations);
}

TEST_CASE("p-values are uniform without a difference and small with one") {
  int swaps_5 = 0, swaps_50 = 0;
  const int simulations = 400;
  for (int s = 0; s < simulations; ++s) {
    const auto key = static_cast<std::uint64_t>(1000 + 2 * s);
    const Systems a = means(normals(60, 0, key)), b = means(normals(60, 0, key + 1));
    const double p = randomisation_test(a, b, {.replicates = 199, .seed = key})[0].p_value;
    swaps_5 += p <= 0.05 ? 1 : 0;
    swaps_50 += p <= 0.5 ? 1 : 0;
  }
  CHECK(swaps_5 >= 0.025 * simulations);
  CHECK(swaps_5 <= 0.085 * simulations);
  CHECK(swaps_50 >= 0.44 * simulations);
  CHECK(swaps_50 <= 0.56 * simulations);
  const Systems better = means(normals(100, 1, 1)), worse = means(normals(100, 0, 2));
  const auto paired = paired_bootstrap(better, worse, {.replicates = 999})[0];
  CHECK(paired.interval.low > 0);
  CHECK(near(randomisation_test(better, worse, {.replicates = 999})[0].p_value, 1.0 / 1000));
}

TEST_CASE("few images are exchanged in every possible way") {
  const Index images = 7;
  const ImageStatistics a = ratio("r", images, 2, 3), b = ratio("r", images, 2, 4);
  int extreme = 0;
  const double observed = std::abs(a.whole() - b.whole());
  for (unsigned mask = 0; mask < 128; ++mask) {
    std::vector<double> new_a = *a.rows, new_b = *b.rows;
    for (std::size_t i = 0; i < 14; ++i) {
      if ((mask >> (i / 2) & 1U) != 0) std::swap(new_a[i], new_b[i]);
    }
    extreme += std::abs(whole_of(a, new_a) - whole_of(b, new_b)) >= observed ? 1 : 0;
  }
  const Systems one = {a}, other = {b};
  const auto exact = randomisation_test(one, other, {.replicates = 128})[0];
  CHECK(exact.kind == PValueKind::kExact);
  CHECK(near(exact.p_value, extreme / 128.0));
  CHECK(exact.difference == a.whole() - b.whole());
  const auto sampled = randomisation_test(one, other, {.replicates = 127})[0];
  CHECK(sampled.kind == PValueKind::kSampled);
  CHECK(std::abs(sampled.p_value - exact.p_value) < 0.15);
  // A is better on all of three images: only exchanging all or none is as extreme. Sums of tenths
  // are rounded, which must not make these two less extreme.
  const auto small = randomisation_test(means({0.3, 0.6, 0.7}), means({0.1, 0.2, 0.1}))[0];
  CHECK(small.p_value == 0.25);
}

TEST_CASE("one image, none, equal systems and metrics without a score") {
  // One image has no spread, so that it supports neither an interval nor a test.
  const auto one = bootstrap(means({0.5}), {.replicates = 99});
  CHECK(one[0].score == 0.5);
  CHECK(std::isnan(one[0].interval.low));
  CHECK(std::isnan(one[0].interval.high));
  const auto two = paired_bootstrap(means({0.5}), means({0.25}), {.replicates = 99})[0];
  CHECK(two.difference == 0.25);
  CHECK(std::isnan(two.interval.low));
  CHECK(std::isnan(randomisation_test(means({0.5}), means({0.25}))[0].p_value));
  CHECK_THROWS_AS(bootstrap(means({})), DataError);
  CHECK_THROWS_AS(bootstrap({}), DataError);
  CHECK_THROWS_AS(bootstrap(means({1, 2}), {.replicates = 0}), UsageError);
  CHECK_THROWS_AS(paired_bootstrap(means({1, 2}), means({1})), DataError);
  CHECK_THROWS_AS(randomisation_test(means({}), means({})), DataError);
  CHECK_THROWS_AS(randomisation_test(means({1}), means({1}), {.replicates = 0}), UsageError);
  const Systems named = {mean_statistics("other", std::vector<double>{1.0})};
  CHECK_THROWS_AS(paired_bootstrap(means({1}), named), DataError);
  CHECK_THROWS_AS(bleu_statistics({}), DataError);

  const Systems same = means(normals(50, 0, 5));
  const auto paired = paired_bootstrap(same, same, {.replicates = 99})[0];
  CHECK(paired.difference == 0);
  CHECK(paired.interval.low == 0);
  CHECK(paired.interval.high == 0);
  CHECK(paired.variance == 0);
  CHECK(randomisation_test(same, same, {.replicates = 99})[0].p_value == 1);

  // A metric that is not a number becomes NaN and does not affect the one beside it.
  std::vector<double> broken = normals(50, 0, 6);
  broken[11] = std::numeric_limits<double>::quiet_NaN();
  const Systems beside = {mean_statistics("broken", broken), same[0]};
  const auto both = paired_bootstrap(beside, beside, {.replicates = 99});
  CHECK(both[0].undefined == 99);
  CHECK(std::isnan(both[0].interval.low));
  CHECK(both[1].undefined == 0);
  const auto swaps = randomisation_test(beside, beside, {.replicates = 99});
  CHECK(std::isnan(swaps[0].p_value));
  CHECK(swaps[1].p_value == 1);
  // Sometimes undefined: 0 / 0 where the only image with words was not drawn.
  const ImageStatistics rare = {
      .metric = "rare",
      .images = 3,
      .width = 2,
      .rows = std::make_shared<const std::vector<double>>(std::vector<double>{1, 1, 0, 0, 0, 0}),
      .score = [](std::span<const double> sums, Index) { return sums[0] / sums[1]; }};
  const Systems rarely = {rare};
  const auto sometimes = bootstrap(rarely, {.replicates = 99})[0];
  CHECK(sometimes.score == 1);
  CHECK(sometimes.undefined > 0);
  CHECK(sometimes.undefined < 99);
  CHECK(std::isnan(sometimes.interval.high));
}

TEST_CASE(
    "a few resamples without a score are left out, and more of them end the interval and test") {
  // Of 4 images of 40, n of n + 40 for other numbers: a resample has no score where none is drawn.
  const auto with_words = [](std::size_t images) {
    std::vector<double> parts(40), wholes(40);
    for (std::size_t i = 0; i < images; ++i) {
      parts[i] = 1.5 + 0.25 * static_cast<double>(i);
      wholes[i] = 4;
    }
    return Systems{ratio_statistics("share", parts, wholes)};
  };
  struct Case {
    std::size_t images;
    double undefined;  // about this share of the resamples
    bool left_out;
  };
  // (1 - n / 40)^40
  for (const Case& one : {Case{1, 0.363, false}, Case{3, 0.044, false}, Case{5, 0.0048, true},
                          Case{10, 1e-5, true}, Case{40, 0, true}}) {
    CAPTURE(one.images);
    const Systems system = with_words(one.images);
    const ScoreInterval own = bootstrap(system, {.replicates = 2000})[0];
    CHECK(static_cast<double>(own.undefined) / 2000 == Approx(one.undefined).margin(0.03));
    CHECK(std::isfinite(own.interval.low) == one.left_out);
    CHECK(std::isfinite(paired_bootstrap(system, system, {.replicates = 2000})[0].variance) ==
          one.left_out);
    // Exchanged with a system that names nothing, one of two gets no words now and then.
    const Systems none = with_words(0);
    CHECK(std::isnan(randomisation_test(system, none, {.replicates = 2000})[0].p_value));
  }
  std::vector<double> values(1000, 0.5);
  for (std::size_t i = 0; i < 10; ++i) values[97 * i] = std::nan("");
  CHECK(defined_values(values).size() == 990);
  values[1] = std::nan("");
  CHECK(defined_values(values).empty());
  CHECK(std::isnan(variance_of(values)));
}

TEST_CASE("results have the same bits for 1, 2 and 4 threads, and follow the seed") {
  const Systems a = {mean_statistics("m", normals(200, 0, 8)), ratio("r", 200, 23, 9)};
  const Systems b = {mean_statistics("m", normals(200, 0, 10)), ratio("r", 200, 23, 11)};
  const auto numbers = [&](std::uint64_t seed) {
    std::vector<double> out;
    for (const auto& d : paired_bootstrap(a, b, {.replicates = 501, .seed = seed})) {
      out.insert(out.end(), {d.interval.low, d.interval.high, d.variance, d.difference});
    }
    for (const auto& t : randomisation_test(a, b, {.replicates = 501, .seed = seed})) {
      out.push_back(t.p_value);
    }
    return out;
  };
  const auto expected = test::same_for_threads([&] { return numbers(3); });
  CHECK(numbers(4) != expected);
  // The draws of a metric do not depend on the metrics beside it.
  const Systems alone_a = {a[1]}, alone_b = {b[1]};
  const auto alone = paired_bootstrap(alone_a, alone_b, {.replicates = 501, .seed = 3})[0];
  CHECK(alone.interval.low == expected[4]);
  CHECK(alone.variance == expected[6]);
}

}  // namespace saccade::statistics_test
