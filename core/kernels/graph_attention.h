// Graph attention (Velickovic et al. 2018): additive scores along the edges of a graph, whose nodes
// are the positions of a sequence. Heads lie side by side: h [B, L, H d]. One thread.
#pragma once

#include "core/kernels/attention_mask.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// The slope of LeakyReLU below 0 (section 2.1).
constexpr double kGraphSlope = 0.2;

struct GraphInputs {
  ConstView nodes;  // h = W x, [B, L, H d]
  ConstView query;  // first half of a, for the node that attends, [H d]
  ConstView key;    // second half of a, for the node that is attended to, [H d]
  Index heads = 1;
  AttentionMask mask;  // kNeighbours, checked by check_mask

  AttentionExtents extents() const { return {nodes.shape[0], nodes.shape[1], nodes.shape[1]}; }
};

// What forward keeps for backward, [B, L, H] each: <a_query, h>, <a_key, h>, and log sum exp of the
// scores.
struct GraphKept {
  View query, key, lse;
};

// out[t] = sum_s softmax_s(LeakyReLU(<a_query, h[t]> + <a_key, h[s]>)) h[s] over the neighbours of
// t, for every head (eq. 1-4, without the outer nonlinearity).
void graph_attention(const GraphInputs& in, View out, const GraphKept& kept);

struct GraphGradients {
  View dnodes, dquery, dkey;  // are added to; without data where not wanted
};
void graph_attention_backward(const GraphInputs& in, ConstView out, const GraphKept& kept,
                              ConstView dout, const GraphGradients& gradients);

// weights [B, H, L, L], from what forward kept.
void graph_attention_weights(const GraphInputs& in, const GraphKept& kept, View weights);

namespace reference {  // exactly by the formulas
void graph_attention(const GraphInputs& in, View out, const GraphKept& kept);
void graph_attention_backward(const GraphInputs& in, ConstView out, const GraphKept& kept,
                              ConstView dout, const GraphGradients& gradients);
}  // namespace reference

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
