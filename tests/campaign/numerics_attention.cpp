// The kernels of attention against their reference twins.
#include "core/kernels/attention_memory.h"
#include "core/kernels/graph_attention.h"
#include "core/kernels/linear_attention.h"
#include "core/kernels/sdpa.h"
#include "tests/campaign/numerics.h"

namespace saccade::campaign {

namespace {

// A mask of any pattern, under which every query sees a key.
struct Mask {
  std::vector<Index> starts;
  std::vector<int> neighbours, lengths;
  std::vector<std::uint8_t> allowed;
  AttentionMask mask;
};

enum class Masks { kAny, kAllOrCausal, kLists };

Mask make_mask(Draw& draw, const AttentionExtents& e, Masks masks) {
  using Pattern = AttentionMask::Pattern;
  Mask out;
  const bool square = e.queries == e.keys;
  if (masks == Masks::kLists || (masks == Masks::kAny && draw.below(4) == 0)) {
    out.mask.pattern = Pattern::kNeighbours;
    out.starts.push_back(0);
    for (Index t = 0; t < e.queries; ++t) {
      const Index step = draw.extent(9);
      for (Index s = draw.below(std::min(e.keys, step)); s < e.keys; s += step)
        out.neighbours.push_back(static_cast<int>(s));
      out.starts.push_back(static_cast<Index>(out.neighbours.size()));
    }
  } else if (draw.coin() && (masks == Masks::kAny ? e.keys >= e.queries : square)) {
    out.mask.pattern = Pattern::kCausal;
  } else if (masks == Masks::kAny && square && draw.coin()) {
    out.mask = {.pattern = Pattern::kWindow, .radius = draw.below(20), .global = draw.below(3)};
    out.mask.global = std::min(out.mask.global, e.keys);
  }
  const bool some_left_out = masks != Masks::kLists && out.mask.pattern != Pattern::kNeighbours &&
                             out.mask.pattern != Pattern::kWindow && draw.coin();
  if (some_left_out) {
    for (Index b = 0; b < e.batch; ++b)  // the first key stays
      for (Index s = 0; s < e.keys; ++s) out.allowed.push_back(s == 0 || draw.coin());
  }
  return out;
}

void point_to(Mask& m) {
  m.mask.starts = m.starts;
  m.mask.neighbours = m.neighbours;
  m.mask.allowed = m.allowed;
}

}  // namespace

std::string attention_memory(Draw& draw) {
  draw.no_infinity();
  const Index memories = draw.extent(5), regions = draw.extent(130), width = draw.extent(300);
  const Index group = draw.extent(12), rows = (memories - 1) * group + 1 + draw.below(group);
  const Tensor keys = draw({memories, regions, width}), query = draw({rows, width}),
               v = draw({width}), weights = draw({rows, regions}), de = draw({rows, regions});
  const Real scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(width)));
  const Real beta = draw.coin() ? Real{0} : Real{1};
  const auto run = [&](auto score, auto backward, auto dot, auto sum, auto outer) {
    return [&, score, backward, dot, sum, outer](Results& r) {
      score(keys.view(), query.view(), v.view(), group, r[0].view());
      backward(keys.view(), query.view(), v.view(), group, de.view(), r[1].view(), r[2].view(),
               r[3].view());
      dot(keys.view(), query.view(), group, scale, beta, r[4].view());
      sum(keys.view(), weights.view(), group, scale, beta, r[5].view());
      outer(weights.view(), query.view(), group, scale, r[6].view());
    };
  };
  return compared(
      made(Tensor({rows, regions}), draw(keys.shape()), draw(query.shape()), draw({width}),
           draw({rows, regions}), draw(query.shape()), draw(keys.shape())),
      run(kernels::reference::additive_score, kernels::reference::additive_score_backward,
          kernels::reference::memory_dot, kernels::reference::memory_sum,
          kernels::reference::memory_outer),
      run(kernels::additive_score, kernels::additive_score_backward, kernels::memory_dot,
          kernels::memory_sum, kernels::memory_outer));
}

std::string sequences(Draw& draw, bool linear) {
  draw.usual_or_tiny();                              // what is not finite is for rows of their own
  const Index most = draw.below(8) == 0 ? 280 : 40;  // the reference takes the square of it
  const Index batch = draw.extent(3), heads = draw.extent(5), width = draw.extent(40),
              value_width = draw.extent(40), queries = draw.extent(most),
              keys = draw.coin() ? queries : draw.extent(most);
  const AttentionExtents extents{batch, queries, keys};
  Mask mask = make_mask(draw, extents, linear ? Masks::kAllOrCausal : Masks::kAny);
  point_to(mask);
  const Shape wide{batch, queries, heads * width}, wide_keys{batch, keys, heads * width};
  const Shape values{batch, keys, heads * value_width}, outs{batch, queries, heads * value_width};
  const Tensor q = draw(wide), k = draw(wide_keys), v = draw(values), dy = draw(outs);
  const kernels::SdpaInputs in{q.view(), k.view(), v.view(), heads, mask.mask};
  const auto run = [&](auto forward, auto backward) {
    return [&, forward, backward](Results& r) {
      forward(in, r[0].view(), r[1].view());
      backward(in, r[0].view(), r[1].view(), dy.view(),
               kernels::SdpaGradients{r[2].view(), r[3].view(), r[4].view()});
    };
  };
  const Results start = made(Tensor(outs), Tensor({batch, heads, queries}), draw(wide),
                             draw(wide_keys), draw(values));
  if (linear)
    return compared(
        start,
        run(kernels::reference::linear_attention, kernels::reference::linear_attention_backward),
        run(kernels::linear_attention, kernels::linear_attention_backward), {.error = 1e-4});
  return compared(start, run(kernels::reference::sdpa, kernels::reference::sdpa_backward),
                  run(kernels::sdpa, kernels::sdpa_backward), {.error = 5e-5});
}

std::string graph(Draw& draw) {
  draw.usual_or_tiny();
  const Index batch = draw.extent(3), heads = draw.extent(5), width = draw.extent(40),
              nodes = draw.extent(100);
  Mask mask = make_mask(draw, {batch, nodes, nodes}, Masks::kLists);
  point_to(mask);
  const Shape all{batch, nodes, heads * width}, halves{heads * width}, kept{batch, nodes, heads};
  const Tensor h = draw(all), query = draw(halves), key = draw(halves), dy = draw(all);
  const kernels::GraphInputs in{h.view(), query.view(), key.view(), heads, mask.mask};
  const auto run = [&](auto forward, auto backward) {
    return [&, forward, backward](Results& r) {
      const kernels::GraphKept k{r[1].view(), r[2].view(), r[3].view()};
      forward(in, r[0].view(), k);
      backward(in, r[0].view(), k, dy.view(),
               kernels::GraphGradients{r[4].view(), r[5].view(), r[6].view()});
    };
  };
  return compared(
      made(Tensor(all), Tensor(kept), Tensor(kept), Tensor(kept), draw(all), draw(halves),
           draw(halves)),
      run(kernels::reference::graph_attention, kernels::reference::graph_attention_backward),
      run(kernels::graph_attention, kernels::graph_attention_backward),
      {.error = 5e-5, .least = 0.1});
}

}  // namespace saccade::campaign
