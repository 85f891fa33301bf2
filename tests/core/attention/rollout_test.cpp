// Fusion of maps and attention rollout, compared with numbers by hand and with what holds for all
// maps.
#include "core/attention/sequence/rollout.h"

#include <cmath>

#include "core/attention/map_fusion.h"
#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {
namespace {

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
