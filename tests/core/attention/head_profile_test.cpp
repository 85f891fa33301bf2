// Heads are named for what their maps do, tested with maps of every kind that are made by hand.
#include "core/attention/head_profile.h"

#include "core/attention/map_fusion.h"
#include "core/attention/sequence/rollout.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {
namespace {

Tensor map_of(Index rows, Index columns, const std::function<double(Index, Index)>& weight) {
  Tensor map({rows, columns});
  for (Index t = 0; t < rows; ++t)
    for (Index l = 0; l < columns; ++l) map[t * columns + l] = static_cast<Real>(weight(t, l));
  return map;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

TEST_CASE("one-hot maps have one share and no entropy") {
  constexpr Index n = 6;
  const auto previous = profile_of(
      map_of(n, n, [](Index t, Index l) { return l == std::max<Index>(t - 1, 0); }).view());
  CHECK(previous.previous == 1);
  CHECK(previous.entropy == 0);
  CHECK(near(previous.first, 1.0 / 5));  // the previous position of row 1 is the first one
  CHECK(near(previous.diagonal, 1.0 / 6));
  CHECK(kind_of(previous) == HeadKind::kPrevious);

  const auto next =
      profile_of(map_of(n, n, [](Index t, Index l) { return l == std::min(t + 1, n - 1); }).view());
  CHECK(next.next == 1);
  CHECK(kind_of(next) == HeadKind::kNext);

  const auto first = profile_of(map_of(n, n, [](Index, Index l) { return l == 0; }).view());
  CHECK(first.first == 1);
  CHECK(kind_of(first) == HeadKind::kFirst);

  const auto diagonal = profile_of(map_of(n, n, [](Index t, Index l) { return l == t; }).view());
  CHECK(diagonal.diagonal == 1);
  CHECK(diagonal.first == 0);
  CHECK(kind_of(diagonal) == HeadKind::kDiagonal);
}

TEST_CASE("a uniform map is broad, and one that is uniform on few positions is mixed") {
  const auto even = profile_of(map_of(5, 8, [](Index, Index) { return 0.125; }).view());
  CHECK(near(even.entropy, 1));
  for (const double share : {even.previous, even.next, even.first, even.diagonal})
    CHECK(near(share, 0.125));
  CHECK(kind_of(even) == HeadKind::kBroad);
  // Two of sixteen: entropy log 2 / log 16.
  const auto two = profile_of(map_of(5, 16, [](Index, Index l) { return l >= 14; }).view());
  CHECK(near(two.entropy, 0.25));
  CHECK(kind_of(two) == HeadKind::kMixed);
}

TEST_CASE("the thresholds are those of the header") {
  const auto kind = [](double share) {
    return kind_of({.previous = share, .entropy = 0.5, .maps = 1});
  };
  CHECK(kind(0.6) == HeadKind::kPrevious);
  CHECK(kind(0.599) == HeadKind::kMixed);
  CHECK(kind_of({.first = 0.61, .diagonal = 0.7, .entropy = 0.95}) == HeadKind::kDiagonal);
  CHECK(kind_of({.next = 0.7, .diagonal = 0.7}) == HeadKind::kNext);
  CHECK(kind_of({.first = 0.3, .entropy = 0.9}) == HeadKind::kBroad);
  CHECK(kind_of({.first = 0.3, .entropy = 0.89}) == HeadKind::kMixed);
}

TEST_CASE(
    "rows are normalised by the sum of their sizes, whatever the signs, for maps of any shape") {
  const auto signs = [](Index t, Index l) { return l == t ? 3.0 : l == 0 ? -1.0 : 0.0; };
  const auto profile = profile_of(map_of(4, 4, signs).view());
  CHECK(near(profile.diagonal, (1 + 3 * 0.75) / 4));
  CHECK(near(profile.first, 0.25));
  // More rows than columns: the last rows have no previous position, next or self.
  const auto tall = profile_of(map_of(9, 2, [](Index, Index l) { return l == 1; }).view());
  CHECK(near(tall.previous, 0.5));
  CHECK(tall.next == 1);
  CHECK(tall.diagonal == 0.5);
  CHECK(tall.first == 0);
  const auto one = profile_of(map_of(1, 1, [](Index, Index) { return 1.0; }).view());
  CHECK(one.entropy == 0);
  CHECK(one.diagonal == 1);
  const auto none = profile_of(map_of(2, 2, [](Index, Index) { return 0.0; }).view());
  CHECK(none.diagonal == 0);
}

TEST_CASE("profiles merge by the number of maps") {
  const HeadProfile a{.previous = 1, .entropy = 0.2, .maps = 1}, b{.next = 1, .maps = 3};
  const HeadProfile both = merged(a, b);
  CHECK(near(both.previous, 0.25));
  CHECK(near(both.next, 0.75));
  CHECK(near(both.entropy, 0.05));
  CHECK(both.maps == 4);
  CHECK(merged({}, {}).maps == 0);
  CHECK(merged({}, {}).first == 0);
}

TEST_CASE("causal maps count from the second row, over what a row may read") {
  const auto previous = profile_of(
      map_of(5, 5, [](Index t, Index l) { return l == std::max<Index>(t - 1, 0); }).view(),
      {.causal = true});
  CHECK(previous.previous == 1);
  CHECK(previous.diagonal == 0);
  CHECK(kind_of(previous) == HeadKind::kPrevious);
  const auto even = profile_of(
      map_of(5, 5, [](Index t, Index l) { return l <= t ? 1.0 : 0.0; }).view(), {.causal = true});
  CHECK(near(even.entropy, 1));
  CHECK(even.next == 0);
  CHECK(kind_of(even) == HeadKind::kBroad);
}

TEST_CASE("content is the share of the weight that lies elsewhere in another picture") {
  const Tensor a = map_of(2, 3, [](Index, Index l) { return l == 0; }),
               b = map_of(2, 3, [](Index t, Index l) { return l == (t == 0 ? 2 : 0); }),
               c = map_of(2, 3, [](Index, Index l) { return l == 0 ? 1.5 : 0.5; });
  const auto content = [](const Tensor& x, const Tensor& y) {
    return content_between({.map = x.view()}, {.map = y.view()});
  };
  CHECK(content(a, a) == 0);
  CHECK(near(content(a, b), 0.5));  // row 0 lies elsewhere, row 1 does not
  CHECK(near(content(a, c), 0.4));  // .6 stays
  CHECK(content(b, a) == content(a, b));
  // Without the column that both of the rows share, a has no weight to compare.
  const std::vector<std::uint8_t> seen{0, 1, 1};
  CHECK(std::isnan(content_between({.map = a.view(), .seen = seen}, {.map = b.view()})));
  // Row 1 alone is left of causal maps, and of the rows that both have.
  CHECK(content_between({.map = a.view(), .part = {.causal = true}}, {.map = b.view()}) == 0);
  CHECK(content(map_of(1, 3, [](Index, Index l) { return l == 0; }), b) == 1);
  CHECK(kind_of({.previous = 0.3}, 0.5) == HeadKind::kContent);
  CHECK(kind_of({.previous = 0.3}, 0.49) == HeadKind::kMixed);
  CHECK(kind_of({.previous = 0.6}, 0.9) == HeadKind::kPrevious);
  CHECK(kind_of({.previous = 0.3}) == HeadKind::kMixed);
}

TEST_CASE("input that is not a map is refused") {
  CHECK_THROWS_AS(profile_of(Tensor({2, 2, 2}).view()), ShapeError);
  Tensor bad({1, 2});
  bad[0] = std::numeric_limits<Real>::quiet_NaN();
  CHECK_THROWS_AS(profile_of(bad.view()), ShapeError);
}

// Fusion of maps and attention rollout, compared with numbers by hand and with what holds for all
// maps.

using test::difference;

Tensor square(std::initializer_list<Real> values) {
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(values.size()))));
  return Tensor({side, side}, std::span(values.begin(), values.size()));
}

// Positive rows that sum to 1.
Tensor attention(Index positions, std::uint64_t sample) {
  Tensor map = test::noise({positions, positions}, sample);
  for (Index t = 0; t < positions; ++t) {
    double sum = 0;
    for (Index s = 0; s < positions; ++s) {
      Real& w = map.view().row(t)[s];
      w = std::exp(2 * w);
      sum += static_cast<double>(w);
    }
    for (Index s = 0; s < positions; ++s) map.view().row(t)[s] /= static_cast<Real>(sum);
  }
  return map;
}

Tensor rolled(std::span<const Tensor> layers, double discard = 0) {
  Rollout rollout(layers[0].shape()[0], discard);
  for (const Tensor& layer : layers) rollout.add(layer.view());
  return rollout.shares().clone();
}

TEST_CASE("maps fuse element by element") {
  const Tensor a = square({1, 0, 0.5, 0.5}), b = square({0.5, 0.5, 0.25, 0.75});
  const std::vector<ConstView> maps{a.view(), b.view()};
  CHECK(difference(square({0.75, 0.25, 0.375, 0.625}), fused(maps, Fusion::kMean)) == 0);
  CHECK(difference(square({1, 0.5, 0.5, 0.75}), fused(maps, Fusion::kMax)) == 0);
  CHECK(difference(square({0.5, 0, 0.25, 0.5}), fused(maps, Fusion::kMin)) == 0);
  const Tensor other({1, 2});
  CHECK_THROWS_AS(fused(std::vector<ConstView>{a.view(), other.view()}, Fusion::kMin), ShapeError);
  CHECK_THROWS_AS(fused({}, Fusion::kMean), ShapeError);
}

TEST_CASE("rollout of two layers by hand") {
  // A'_1 = [[.5, .5], [0, 1]], A'_2 = [[.75, .25], [.5, .5]]: R = A'_2 A'_1.
  const std::vector<Tensor> layers = [] {
    std::vector<Tensor> all;
    all.push_back(square({0, 1, 0, 1}));
    all.push_back(square({0.5, 0.5, 1, 0}));
    return all;
  }();
  CHECK(difference(square({0.375, 0.625, 0.25, 0.75}), rolled(layers)) < 1e-12);
}

TEST_CASE(
    "rollout: rows sum to 1, positions that attend to themselves stay, weights of any sum become "
    "shares") {
  std::vector<Tensor> layers;
  for (std::uint64_t l = 0; l < 4; ++l) layers.push_back(attention(7, l));
  // Like a maximum over heads, whose rows sum to more than 1.
  for (Real& w : layers[2].span()) w *= 3;
  for (const double discard : {0.0, 0.5, 0.99}) {
    const Tensor shares = rolled(layers, discard);
    for (Index t = 0; t < 7; ++t) {
      double sum = 0;
      for (Index s = 0; s < 7; ++s) {
        CHECK(shares[t * 7 + s] >= 0);
        sum += static_cast<double>(shares[t * 7 + s]);
      }
      CHECK(std::abs(sum - 1) < 1e-12);
    }
  }
  const Tensor identity = Rollout(5).shares().clone();
  Rollout still(5);
  for (int l = 0; l < 3; ++l) still.add(identity.view());
  CHECK(difference(identity, still.shares()) == 0);
}

TEST_CASE("rollout permutes with the positions") {
  const std::vector<std::size_t> to{3, 0, 4, 1, 2};
  std::vector<Tensor> layers, moved;
  const auto permuted = [&](const Tensor& map) {
    Tensor out(map.shape());
    for (std::size_t t = 0; t < 5; ++t)
      for (std::size_t s = 0; s < 5; ++s)
        out[static_cast<Index>(to[t] * 5 + to[s])] = map[static_cast<Index>(t * 5 + s)];
    return out;
  };
  for (std::uint64_t l = 0; l < 3; ++l) {
    layers.push_back(attention(5, l));
    moved.push_back(permuted(layers.back()));
  }
  for (const double discard : {0.0, 0.4})
    CHECK(difference(permuted(rolled(layers, discard)), rolled(moved, discard)) < 1e-12);
}

TEST_CASE("rollout can discard small weights and refuses numbers that are not shares") {
  // A share of 0.4 of three weights is one of them: 0.1 is left out, and of the equal 0.2 the later
  // one.
  std::vector<Tensor> layers;
  layers.push_back(square({0.6, 0.3, 0.1, 0.2, 0.6, 0.2, 0, 0, 1}));
  const Tensor expected = square({1.6 / 1.9, 0.3 / 1.9, 0, 0.2 / 1.8, 1.6 / 1.8, 0, 0, 0, 1});
  CHECK(difference(expected, rolled(layers, 0.4)) < 1e-12);
  CHECK_THROWS_AS(Rollout(3, 1), ShapeError);
  CHECK_THROWS_AS(Rollout(0), ShapeError);
  CHECK_THROWS_AS(Rollout(2).add(layers[0].view()), ShapeError);
  CHECK_THROWS_AS(Rollout(2).add(square({1.2, -0.2, 0, 1}).view()), ShapeError);
  CHECK_THROWS_AS(Rollout(2).add(square({std::nan(""), 0, 0, 1}).view()), ShapeError);
}

}  // namespace
}  // namespace saccade
