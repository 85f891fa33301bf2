// Heads that lie side by side in rows: [B, T, H d].
#pragma once

#include "core/kernels/internal/eigen_maps.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

// The numbers of head h in row t of sample b, as an array to compute with.
template <class AnyView>
auto head_array(const AnyView& x, Index heads, Index b, Index t, Index h) {
  const Index width = x.cols() / heads;
  return array(x.data + (b * x.shape[1] + t) * x.cols() + h * width, width);
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
