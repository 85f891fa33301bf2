// Linear, graph and differential attention against their formulas, in double.
#include "core/attention/sequence/differential_attention.h"
#include "core/attention/sequence/neighbour_lists.h"
#include "core/ops/differential.h"
#include "core/ops/graph_attention.h"
#include "core/ops/linear_attention.h"
#include "core/ops/project_length.h"
#include "tests/core/attention/sequence_support.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

namespace saccade::sequence_ops_test {

using test::apart;
using test::noise;
using Pattern = AttentionMask::Pattern;

namespace {

constexpr double kSame = 1e-12;

Real phi(Real x) { return x > 0 ? x + 1 : std::exp(x); }

// The weights of linear attention, computed for all pairs: [B, H, T, S].
Tensor quadratic_weights(const Tensor& q, const Tensor& k, Index heads,
                         const std::function<bool(Index, Index, Index)>& permits) {
  const Index batch = q.shape()[0], queries = q.shape()[1], keys = k.shape()[1],
              width = q.shape()[2] / heads;
  Tensor weights({batch, heads, queries, keys});
  for (Index b = 0; b < batch; ++b)
    for (Index h = 0; h < heads; ++h)
      for (Index t = 0; t < queries; ++t) {
        Real* row = weights.view().row((b * heads + h) * queries + t);
        Real sum = 0;
        for (Index s = 0; s < keys; ++s) {
          for (Index c = h * width; permits(b, t, s) && c < (h + 1) * width; ++c)
            row[s] += phi(q.view().row(b * queries + t)[c]) * phi(k.view().row(b * keys + s)[c]);
          sum += row[s];
        }
        for (Index s = 0; s < keys; ++s) row[s] /= sum;
      }
  return weights;
}

// sum_s weights[b, h, t, s] v[b, s] for every head.
Tensor means(const Tensor& weights, const Tensor& v) {
  const Shape& shape = weights.shape();
  const Index width = v.shape()[2] / shape[1];
  Tensor out({shape[0], shape[2], v.shape()[2]});
  for (Index b = 0; b < shape[0]; ++b)
    for (Index h = 0; h < shape[1]; ++h)
      for (Index t = 0; t < shape[2]; ++t)
        for (Index s = 0; s < shape[3]; ++s)
          for (Index c = h * width; c < (h + 1) * width; ++c)
            out.view().row(b * shape[2] + t)[c] +=
                weights.view().row((b * shape[1] + h) * shape[2] + t)[s] *
                v.view().row(b * shape[3] + s)[c];
  return out;
}

}  // namespace

TEST_CASE("linear attention equals its quadratic form, also causal and across chunks") {
  for (const Index count : {1, 2, 63, 64, 65, 130}) {
    const Tensor q = noise({2, count, 6}, 1), k = noise({2, count, 6}, 2),
                 v = noise({2, count, 4}, 3);
    const std::vector<int> lengths{static_cast<int>(count), static_cast<int>((count + 1) / 2)};
    std::vector<std::uint8_t> allowed;
    for (Index i = 0; i < 2 * count; ++i) allowed.push_back(i % count == 0 || i % 3 != 0);
    const auto is_allowed = [&](Index b, Index s) {
      return allowed[static_cast<std::size_t>(b * count + s)] != 0;
    };
    const test::MaskCase cases[] = {
        {"none", {}, [](Index, Index, Index) { return true; }},
        {"causal", {.pattern = Pattern::kCausal}, [](Index, Index t, Index s) { return s <= t; }},
        {"lengths",
         {.lengths = lengths},
         [&](Index b, Index, Index s) { return s < lengths[static_cast<std::size_t>(b)]; }},
        {"causal and allowed",
         {.pattern = Pattern::kCausal, .allowed = allowed},
         [&](Index b, Index t, Index s) { return s <= t && is_allowed(b, s); }}};
    for (const test::MaskCase& c : cases) {
      CAPTURE(count, c.name);
      test::TestTape tape;
      const Var qs = tape.constant(q.view()), ks = tape.constant(k.view());
      const Tensor weights = quadratic_weights(q, k, 2, c.permits);
      const Var y = ops::linear_attention(qs, ks, tape.constant(v.view()), 2, c.mask);
      CHECK(apart(means(weights, v).view(), y.value()) < kSame);
      CHECK(apart(weights.view(), ops::linear_attention_weights(qs, ks, 2, c.mask)) < kSame);
    }
  }
}

TEST_CASE("linear attention refuses patterns that it cannot sum") {
  test::TestTape tape;
  const Tensor x({1, 3, 2}), longer({1, 4, 2});
  const Var v = tape.constant(x.view()), w = tape.constant(longer.view());
  CHECK_THROWS_AS(ops::linear_attention(v, v, v, 1, {.pattern = Pattern::kWindow}), ShapeError);
  CHECK_THROWS_AS(ops::linear_attention(v, w, w, 1, {.pattern = Pattern::kCausal}), ShapeError);
}

TEST_CASE("graph attention equals the dense formula on a complete graph and on others") {
  const Index count = 9, heads = 2, width = 3;
  const Tensor nodes = noise({2, count, heads * width}, 1), query = noise({heads * width}, 2),
               key = noise({heads * width}, 3);
  for (const bool complete : {true, false}) {
    CAPTURE(complete);
    NeighbourLists lists{.starts = {0}, .neighbours = {}};
    const auto linked = [&](Index t, Index s) {
      return complete || (t + 2 * s) % 3 == 0 || t == s;
    };
    for (Index t = 0; t < count; ++t) {
      for (Index s = 0; s < count; ++s)
        if (linked(t, s)) lists.neighbours.push_back(static_cast<int>(s));
      lists.starts.push_back(static_cast<Index>(lists.neighbours.size()));
    }
    Tensor weights({2, heads, count, count});
    for (Index b = 0; b < 2; ++b)
      for (Index h = 0; h < heads; ++h)
        for (Index t = 0; t < count; ++t) {
          Real* row = weights.view().row((b * heads + h) * count + t);
          Real sum = 0;
          for (Index s = 0; s < count; ++s) {
            if (!linked(t, s)) continue;
            Real score = 0;
            for (Index c = h * width; c < (h + 1) * width; ++c)
              score += query[c] * nodes.view().row(b * count + t)[c] +
                       key[c] * nodes.view().row(b * count + s)[c];
            row[s] = std::exp(score > 0 ? score : 0.2 * score);
            sum += row[s];
          }
          for (Index s = 0; s < count; ++s) row[s] /= sum;
        }
    test::TestTape tape;
    const Var x = tape.constant(nodes.view()), a = tape.constant(query.view()),
              c = tape.constant(key.view());
    CHECK(apart(means(weights, nodes).view(),
                ops::graph_attention(x, a, c, heads, lists.mask()).value()) < kSame);
    CHECK(apart(weights.view(), ops::graph_attention_weights(x, a, c, heads, lists.mask())) <
          kSame);
  }
}

TEST_CASE("the neighbours of a cell are the cells beside it and itself") {
  const auto list = [](const NeighbourLists& lists, std::size_t t) {
    return std::vector<int>(lists.neighbours.begin() + lists.starts[t],
                            lists.neighbours.begin() + lists.starts[t + 1]);
  };
  const NeighbourLists four = grid_neighbours({3, 4}, GridNeighbours::kFour),
                       eight = grid_neighbours({3, 4}, GridNeighbours::kEight);
  CHECK(four.starts.size() == 13);
  CHECK(list(four, 0) == std::vector<int>{0, 1, 4});
  CHECK(list(four, 5) == std::vector<int>{1, 4, 5, 6, 9});
  CHECK(list(eight, 5) == std::vector<int>{0, 1, 2, 4, 5, 6, 8, 9, 10});
  CHECK(list(eight, 11) == std::vector<int>{6, 7, 10, 11});
  CHECK(list(grid_neighbours({1, 1}, GridNeighbours::kEight), 0) == std::vector<int>{0});
}

TEST_CASE("the nearest features are those with the largest cosine or the smallest distance") {
  // Three directions and a long vector. The second sample is the first in reverse order.
  const std::vector<Real> values{1, 0, 5, 1, 0, 1, 0.5, -0.5, 0.5, -0.5, 0, 1, 5, 1, 1, 0};
  const Tensor x({2, 4, 2}, values);
  const NeighbourLists cosine = nearest_neighbours(x.view(), 1, Likeness::kCosine),
                       distance = nearest_neighbours(x.view(), 1, Likeness::kEuclidean);
  CHECK(cosine.starts == std::vector<Index>{0, 2, 4, 6, 8, 10, 12, 14, 16});
  CHECK(cosine.neighbours == std::vector<int>{0, 1, 0, 1, 1, 2, 0, 3, 0, 3, 1, 2, 2, 3, 2, 3});
  CHECK(distance.neighbours == std::vector<int>{0, 3, 0, 1, 0, 2, 0, 3, 0, 3, 1, 3, 2, 3, 0, 3});
  CHECK_THROWS_AS(nearest_neighbours(x.view(), 4, Likeness::kCosine), ShapeError);
}

TEST_CASE("lambda of differential blocks starts lower in lower layers") {
  const std::pair<Index, double> layers[] = {
      {0, 0.2}, {1, 0.35550906759096926}, {2, 0.4707130183435842}, {11, 0.777870099559256}};
  for (const auto& [layer, lambda] : layers)
    CHECK(differential_initial(layer) == Approx(lambda).epsilon(1e-14));
}

}  // namespace saccade::sequence_ops_test
