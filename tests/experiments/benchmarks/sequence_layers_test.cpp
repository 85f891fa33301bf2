// The layers of `saccade_attend_bench sequences`: what theory says of them, and whether they do it.
#include "experiments/benchmarks/sequence_layers.h"

#include <deque>

#include "core/attention/sequence/make_sequence_attention.h"
#include "experiments/benchmarks/score_scaling.h"
#include "experiments/benchmarks/sequence_bench.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

std::map<std::string, LayerCost> costs(const GridSize& grid) {
  std::map<std::string, LayerCost> out;
  for (const SequenceLayer& layer : sequence_layers())
    out[layer.name] = cost_of(layer, {.grid = grid});
  return out;
}

TEST_CASE("multiplications of layers over a grid of 2 x 3") {
  // Width 256 and 8 heads. Of the pairs of 6 cells, 28 = (3 * 2 - 2) (3 * 3 - 2) lie side by side
  // or are the same.
  const std::map<std::string, LayerCost> of = costs({.rows = 2, .cols = 3});
  REQUIRE(of.size() == sequence_attentions().rows().size() + 2);
  CHECK(of.at("self_attention").multiplications == 6 * (4 * 65536 + 2 * 6 * 256));
  CHECK(of.at("window").multiplications ==
        of.at("self_attention").multiplications);  // all in reach
  CHECK(of.at("linear").multiplications == 6 * (4 * 65536 + 2 * 65536 / 8));
  CHECK(of.at("linformer").multiplications == 2 * (6 + 32) * 65536 + 4 * 6 * 32 * 256);
  CHECK(of.at("differential").multiplications == 6 * (4 * 65536 + 3 * 6 * 256));
  CHECK(of.at("geometry").multiplications == 6 * (4 * 65536 + 2 * 6 * 256 + 6 * 64 * 8));
  CHECK(of.at("graph").multiplications == 6 * (65536 + 2 * 256) + 28 * 256);
  CHECK(of.at("convolution").multiplications == 28 * 65536);
  CHECK(of.at("gru").multiplications == 6 * 6 * 65536);
}

TEST_CASE("costs grow with the length as theory says") {
  const std::map<std::string, LayerCost> shorter = costs({.rows = 64, .cols = 64}),
                                         longer = costs({.rows = 128, .cols = 128});
  const auto growth = [&](const std::string& name) {
    return longer.at(name).multiplications / shorter.at(name).multiplications;
  };
  // Four times the positions: full attention comes near 16 times, the others to 4 times.
  CHECK(growth("self_attention") > 12);
  CHECK(growth("differential") > 12);
  CHECK(growth("geometry") > 12);
  for (const char* name : {"window", "linear", "linformer", "graph", "convolution", "gru"}) {
    CAPTURE(name);
    CHECK(growth(name) == Approx(4).epsilon(0.03));
  }
  // Only a GRU waits for every position before, and only it and small windows have long paths.
  for (const auto& [name, cost] : longer) CHECK(cost.steps == (name == "gru" ? 128 * 128 : 1));
  for (const char* name : {"self_attention", "linear", "linformer", "differential", "geometry"})
    CHECK(longer.at(name).path == 1);
  CHECK(longer.at("window").path == 2048);  // 16,383 places by 8 each
  CHECK(longer.at("convolution").path == 127);
  CHECK(longer.at("graph").path == 127);
  CHECK(longer.at("gru").path == 16383);
}

// Whether position t of one layer depends on position s, in row t * L + s.
std::vector<bool> reach_of(SequenceBench& bench, Index length) {
  constexpr Index kWidth = SequenceSizes::kWidth;
  const auto pass = [&] {
    const ConstView y = bench.forward();
    REQUIRE(y.shape == Shape{1, length, kWidth});
    return std::vector<Real>(y.span().begin(), y.span().end());
  };
  const std::vector<Real> before = pass();
  std::vector<bool> reach(static_cast<std::size_t>(length * length));
  for (Index s = 0; s < length; ++s) {
    const std::span<Real> moved =
        bench.input().span().subspan(static_cast<std::size_t>(s * kWidth), kWidth);
    const std::vector<Real> kept(moved.begin(), moved.end());
    for (Real& x : moved) x = -x;
    const std::vector<Real> after = pass();
    std::copy(kept.begin(), kept.end(), moved.begin());
    for (Index i = 0; i < length * kWidth; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (std::abs(after[at] - before[at]) > 1e-4f)
        reach[static_cast<std::size_t>(i / kWidth * length + s)] = true;
    }
  }
  return reach;
}

// The layers after which the farthest position has heard of another one; 0 where it never does.
Index layers_needed(const std::vector<bool>& reach, Index length) {
  Index most = 0;
  for (Index s = 0; s < length; ++s) {
    std::vector<Index> distance(static_cast<std::size_t>(length), -1);
    std::deque<Index> queue{s};
    distance[static_cast<std::size_t>(s)] = 0;
    while (!queue.empty()) {
      const Index from = queue.front();
      queue.pop_front();
      for (Index t = 0; t < length; ++t)
        if (reach[static_cast<std::size_t>(t * length + from)] &&
            distance[static_cast<std::size_t>(t)] < 0) {
          distance[static_cast<std::size_t>(t)] = distance[static_cast<std::size_t>(from)] + 1;
          queue.push_back(t);
        }
    }
    for (const Index d : distance) {
      if (d < 0) return 0;
      most = std::max(most, d);
    }
  }
  return most;
}

TEST_CASE("the longest path of every layer is that of its dependencies") {
  const SequenceSizes sizes{.grid = {.rows = 4, .cols = 6}};
  const Index length = sizes.grid.cells();
  for (const SequenceLayer& layer : sequence_layers()) {
    CAPTURE(layer.name);
    SequenceBench bench(layer, sizes);
    const std::vector<bool> reach = reach_of(bench, length);
    if (layer.name != "gru") {
      CHECK(layers_needed(reach, length) == cost_of(layer, sizes).path);
      continue;
    }
    // A position depends on all before it, by way of every state between, and on none behind it.
    bool triangular = true;
    for (Index t = 0; t < length; ++t)
      for (Index s = 0; s < length; ++s)
        if (s > t || s == t || s + 1 == t)
          triangular = triangular && reach[static_cast<std::size_t>(t * length + s)] == (s <= t);
    CHECK(triangular);
  }
}

TEST_CASE("every layer can be timed in training") {
  const SequenceSizes sizes{.grid = {.rows = 2, .cols = 3}};
  for (const SequenceLayer& layer : sequence_layers()) {
    CAPTURE(layer.name);
    SequenceBench bench(layer, sizes);
    const ConstView first = bench.forward();
    const std::vector<Real> before(first.span().begin(), first.span().end());
    CHECK_NOTHROW(bench.train());
    const ConstView again = bench.forward();  // training leaves the weights as they are
    CHECK(std::equal(before.begin(), before.end(), again.span().begin(), again.span().end()));
  }
}

// Why scores are divided by sqrt(d_k): the numbers of `saccade_attend_bench scaling`.

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
