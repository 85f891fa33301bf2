// The kernels of attention over sequences against their reference versions, in float.
#include <vector>

#include "core/attention/sequence/neighbour_lists.h"
#include "core/kernels/graph_attention.h"
#include "core/kernels/linear_attention.h"
#include "core/kernels/sdpa.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using test::difference;
using test::noise;
using Pattern = AttentionMask::Pattern;

TEST_CASE("fused attention agrees with its reference version") {
  const Index batch = 2, count = 270, heads = 2;
  std::vector<Index> starts{0};
  std::vector<int> neighbours;
  std::vector<std::uint8_t> allowed;
  for (Index t = 0; t < count; ++t) {
    for (Index s = t % 5; s < count; s += 9) neighbours.push_back(static_cast<int>(s));
    starts.push_back(static_cast<Index>(neighbours.size()));
  }
  for (Index i = 0; i < batch * count; ++i) allowed.push_back(i % 4 != 3);
  const std::vector<int> lengths{270, 177};
  const AttentionMask masks[] = {
      {},
      {.pattern = Pattern::kCausal},
      {.pattern = Pattern::kWindow, .radius = 8, .global = 2},
      {.pattern = Pattern::kNeighbours, .starts = starts, .neighbours = neighbours},
      {.lengths = lengths},
      {.pattern = Pattern::kCausal, .allowed = allowed}};
  const Shape wide{batch, count, heads * 32}, narrow{batch, count, heads * 5};
  const Shape sums{batch, heads, count};
  const Tensor q = noise(wide, 1), k = noise(wide, 2), v = noise(narrow, 3), dy = noise(narrow, 4);
  for (const AttentionMask& mask : masks) {
    CAPTURE(static_cast<int>(mask.pattern), mask.lengths.size(), mask.allowed.size());
    const kernels::SdpaInputs in{q.view(), k.view(), v.view(), heads, mask};
    struct Results {
      Tensor out, lse, dq, dk, dv, weights;
    };
    const auto run = [&](auto forward, auto backward, auto weights) {
      Results r{noise(narrow, 5), Tensor(sums),     noise(wide, 6),
                noise(wide, 7),   noise(narrow, 8), Tensor({batch, heads, count, count})};
      forward(in, r.out.view(), r.lse.view());
      backward(in, r.out.view(), r.lse.view(), dy.view(),
               kernels::SdpaGradients{r.dq.view(), r.dk.view(), r.dv.view()});
      weights(in, r.weights.view());
      return r;
    };
    const Results optimized = run(kernels::sdpa, kernels::sdpa_backward, kernels::sdpa_weights);
    const Results reference = run(kernels::reference::sdpa, kernels::reference::sdpa_backward,
                                  kernels::reference::sdpa_weights);
    CHECK(difference(reference.out, optimized.out) <= 1e-5);
    CHECK(difference(reference.lse, optimized.lse) <= 1e-5);
    CHECK(difference(reference.dq, optimized.dq) <= 1e-5);
    CHECK(difference(reference.dk, optimized.dk) <= 1e-5);
    CHECK(difference(reference.dv, optimized.dv) <= 1e-5);
    CHECK(difference(reference.weights, optimized.weights) <= 1e-5);
  }
}

TEST_CASE("linear attention agrees with its reference version") {
  const Index batch = 2, count = 140, heads = 2;
  std::vector<std::uint8_t> allowed;
  for (Index i = 0; i < batch * count; ++i) allowed.push_back(i % 4 != 3);
  const AttentionMask masks[] = {
      {}, {.pattern = Pattern::kCausal}, {.pattern = Pattern::kCausal, .allowed = allowed}};
  const Shape wide{batch, count, heads * 32}, narrow{batch, count, heads * 5};
  const Tensor q = noise(wide, 1), k = noise(wide, 2), v = noise(narrow, 3), dy = noise(narrow, 4);
  for (const AttentionMask& mask : masks) {
    CAPTURE(static_cast<int>(mask.pattern), mask.allowed.size());
    const kernels::SdpaInputs in{q.view(), k.view(), v.view(), heads, mask};
    struct Results {
      Tensor out, z, dq, dk, dv;
    };
    const auto run = [&](auto forward, auto backward) {
      Results r{noise(narrow, 5), Tensor({batch, heads, count}), noise(wide, 6), noise(wide, 7),
                noise(narrow, 8)};
      forward(in, r.out.view(), r.z.view());
      backward(in, r.out.view(), r.z.view(), dy.view(),
               kernels::SdpaGradients{r.dq.view(), r.dk.view(), r.dv.view()});
      return r;
    };
    const Results optimized = run(kernels::linear_attention, kernels::linear_attention_backward);
    const Results reference =
        run(kernels::reference::linear_attention, kernels::reference::linear_attention_backward);
    CHECK(difference(reference.out, optimized.out) <= 1e-5);
    CHECK(difference(reference.z, optimized.z) <= 1e-5);
    CHECK(difference(reference.dq, optimized.dq) <= 1e-5);
    CHECK(difference(reference.dk, optimized.dk) <= 1e-5);
    CHECK(difference(reference.dv, optimized.dv) <= 1e-5);
  }
}

TEST_CASE("graph attention agrees with its reference version") {
  const Index batch = 2, heads = 2;
  const NeighbourLists lists = grid_neighbours({5, 7}, GridNeighbours::kEight);
  const Shape nodes{batch, 35, heads * 9}, halves{heads * 9}, kept{batch, 35, heads};
  const Tensor h = noise(nodes, 1), query = noise(halves, 2), key = noise(halves, 3),
               dy = noise(nodes, 4);
  const kernels::GraphInputs in{h.view(), query.view(), key.view(), heads, lists.mask()};
  struct Results {
    Tensor out, query, key, lse, dnodes, dquery, dkey;
  };
  const auto run = [&](auto forward, auto backward) {
    Results r{noise(nodes, 5), Tensor(kept),     Tensor(kept),    Tensor(kept),
              noise(nodes, 6), noise(halves, 7), noise(halves, 8)};
    const kernels::GraphKept k{r.query.view(), r.key.view(), r.lse.view()};
    forward(in, r.out.view(), k);
    backward(in, r.out.view(), k, dy.view(),
             kernels::GraphGradients{r.dnodes.view(), r.dquery.view(), r.dkey.view()});
    return r;
  };
  const Results optimized = run(kernels::graph_attention, kernels::graph_attention_backward);
  const Results reference =
      run(kernels::reference::graph_attention, kernels::reference::graph_attention_backward);
  CHECK(difference(reference.out, optimized.out) <= 1e-5);
  CHECK(difference(reference.lse, optimized.lse) <= 1e-5);
  CHECK(difference(reference.dnodes, optimized.dnodes) <= 1e-5);
  CHECK(difference(reference.dquery, optimized.dquery) <= 1e-5);
  CHECK(difference(reference.dkey, optimized.dkey) <= 1e-5);
}

}  // namespace saccade
