// Attention without a softmax, at a cost that is linear in the length (Katharopoulos et al. 2020):
// phi(x) = elu(x) + 1 takes the place of the exponential. Layout as in sdpa.h. One thread.
#pragma once

#include "core/kernels/sdpa.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

//   out[t] = sum_s <phi(q[t]), phi(k[s])> v[s] / z[t], z[t] = sum_s <phi(q[t]), phi(k[s])>
// for every head, over the permitted keys (eq. 4; eq. 8 where causal). The mask's pattern is kAll,
// or kCausal with as many keys as queries. z [B, H, T] is kept for backward.
void linear_attention(const SdpaInputs& in, View out, View z);
void linear_attention_backward(const SdpaInputs& in, ConstView out, ConstView z, ConstView dout,
                               const SdpaGradients& gradients);
// weights [B, H, T, S]: <phi(q[t]), phi(k[s])> / z[t]. The content of in.v does not matter.
void linear_attention_weights(const SdpaInputs& in, View weights);

namespace reference {  // exactly by the formulas, quadratic in the length
void linear_attention(const SdpaInputs& in, View out, View z);
void linear_attention_backward(const SdpaInputs& in, ConstView out, ConstView z, ConstView dout,
                               const SdpaGradients& gradients);
}  // namespace reference

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
