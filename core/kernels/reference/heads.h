// Where the heads of a matrix lie, for the reference kernels of attention.
#pragma once

#include "core/base/real.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

// Head h of row t of sample b of a view (samples x rows x columns), whose columns are those of one
// head after the other.
template <class AnyView>
auto head(const AnyView& x, Index heads, Index b, Index t, Index h) {
  return x.data + (b * x.shape[1] + t) * x.cols() + h * (x.cols() / heads);
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
