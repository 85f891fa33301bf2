// Attention along lists of neighbours. Its cost is that of the lists.
#pragma once

#include "core/kernels/sdpa.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// As sdpa and sdpa_backward, for the pattern kNeighbours.
void sdpa_neighbours(const SdpaInputs& in, View out, View lse);
void sdpa_neighbours_backward(const SdpaInputs& in, ConstView out, ConstView lse, ConstView dout,
                              const SdpaGradients& gradients);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
