// The kernels of attention over sequences against their reference versions, in float.
#include "core/attention/sequence/neighbour_lists.h"
#include "core/kernels/graph_attention.h"
#include "core/kernels/linear_attention.h"
#include "core/kernels/sdpa.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_results.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using test::difference;
using test::made;
using test::noise;
using test::Results;
using Pattern = AttentionMask::Pattern;

void check_same(const Results& reference, const Results& optimized) {
  for (std::size_t i = 0; i < reference.size(); ++i)
    CHECK(difference(reference[i], optimized[i]) <= 1e-5);
}

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
    const auto run = [&](auto forward, auto backward, auto weights) {
      Results r = made(noise(narrow, 5), Tensor(sums), noise(wide, 6), noise(wide, 7),
                       noise(narrow, 8), Tensor({batch, heads, count, count}));
      forward(in, r[0].view(), r[1].view());
      backward(in, r[0].view(), r[1].view(), dy.view(),
               kernels::SdpaGradients{r[2].view(), r[3].view(), r[4].view()});
      weights(in, r[5].view());
      return r;
    };
    const Results optimized = run(kernels::sdpa, kernels::sdpa_backward, kernels::sdpa_weights);
    const Results reference = run(kernels::reference::sdpa, kernels::reference::sdpa_backward,
                                  kernels::reference::sdpa_weights);
    check_same(reference, optimized);
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
    const auto run = [&](auto forward, auto backward) {
      Results r = made(noise(narrow, 5), Tensor({batch, heads, count}), noise(wide, 6),
                       noise(wide, 7), noise(narrow, 8));
      forward(in, r[0].view(), r[1].view());
      backward(in, r[0].view(), r[1].view(), dy.view(),
               kernels::SdpaGradients{r[2].view(), r[3].view(), r[4].view()});
      return r;
    };
    const Results optimized = run(kernels::linear_attention, kernels::linear_attention_backward);
    const Results reference =
        run(kernels::reference::linear_attention, kernels::reference::linear_attention_backward);
    check_same(reference, optimized);
  }
}

TEST_CASE("graph attention agrees with its reference version") {
  const Index batch = 2, heads = 2;
  const NeighbourLists lists = grid_neighbours({5, 7}, GridNeighbours::kEight);
  const Shape nodes{batch, 35, heads * 9}, halves{heads * 9}, kept{batch, 35, heads};
  const Tensor h = noise(nodes, 1), query = noise(halves, 2), key = noise(halves, 3),
               dy = noise(nodes, 4);
  const kernels::GraphInputs in{h.view(), query.view(), key.view(), heads, lists.mask()};
  const auto run = [&](auto forward, auto backward) {
    Results r = made(noise(nodes, 5), Tensor(kept), Tensor(kept), Tensor(kept), noise(nodes, 6),
                     noise(halves, 7), noise(halves, 8));
    const kernels::GraphKept k{r[1].view(), r[2].view(), r[3].view()};
    forward(in, r[0].view(), k);
    backward(in, r[0].view(), k, dy.view(),
             kernels::GraphGradients{r[4].view(), r[5].view(), r[6].view()});
    return r;
  };
  const Results optimized = run(kernels::graph_attention, kernels::graph_attention_backward);
  const Results reference =
      run(kernels::reference::graph_attention, kernels::reference::graph_attention_backward);
  check_same(reference, optimized);
}

}  // namespace saccade
