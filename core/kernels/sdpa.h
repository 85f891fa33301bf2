// Scaled dot-product attention of whole sequences, in row-major layout with the heads side by side:
// q [B, T, H d], k [B, S, H d], v [B, S, H e], out [B, T, H e]. One thread, except for sdpa() where
// kernels are cut (kernel_parts.h). Scores exist for one block of rows at a time (online softmax;
// Dao et al. 2022, FlashAttention, algorithm 1 and appendix B).
#pragma once

#include "core/kernels/attention_mask.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// How many queries and keys are scored at a time.
constexpr Index kSdpaQueries = 256, kSdpaKeys = 256;

struct SdpaInputs {
  ConstView q, k, v;
  Index heads = 1;
  AttentionMask mask;  // checked by check_mask

  AttentionExtents extents() const { return {q.shape[0], q.shape[1], k.shape[1]}; }
  Index width() const { return q.cols() / heads; }        // d
  Index value_width() const { return v.cols() / heads; }  // e
};

// out[t] = sum_s softmax_s(<q[t], k[s]> / sqrt(d)) v[s] over the permitted keys, for every head
// (Vaswani et al. 2017, eq. 1); lse [B, H, T] keeps log sum_s exp of the scores for backward.
void sdpa(const SdpaInputs& in, View out, View lse);

// The gradients, which are added to. Each may have no data where it is not wanted.
struct SdpaGradients {
  View dq, dk, dv;
};
void sdpa_backward(const SdpaInputs& in, ConstView out, ConstView lse, ConstView dout,
                   const SdpaGradients& gradients);

// weights [B, H, T, S]: the softmax itself, exactly 0 where a key is not permitted. The content of
// in.v does not matter.
void sdpa_weights(const SdpaInputs& in, View weights);

namespace reference {  // exactly by the formulas
void sdpa(const SdpaInputs& in, View out, View lse);
void sdpa_backward(const SdpaInputs& in, ConstView out, ConstView lse, ConstView dout,
                   const SdpaGradients& gradients);
void sdpa_weights(const SdpaInputs& in, View weights);
}  // namespace reference

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
