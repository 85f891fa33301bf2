#include "core/kernels/activation.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

void activate(Activation f, View y) {
  if (f == Activation::kNone) return;
  with_activation(f, [&](auto known) {
    Real* const out = y.data;
    for (Index i = 0; i < y.size(); ++i) out[i] = activated<known()>(out[i]);
  });
}

void activation_backward(Activation f, ConstView y, ConstView dy, View d) {
  const Index count = y.size();
  with_activation(f, [&](auto known) {
    const Real* __restrict value = y.data;
    Real* __restrict out = d.data;
    if (d.data == dy.data) {
      for (Index i = 0; i < count; ++i) {
        const Real passing = out[i];
        out[i] = passes<known()>(value[i]) ? passing : Real{0};
      }
    } else {
      const Real* __restrict in = dy.data;
      for (Index i = 0; i < count; ++i) {
        const Real passing = in[i];
        out[i] = passes<known()>(value[i]) ? passing : Real{0};
      }
    }
  });
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
