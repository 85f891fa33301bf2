#include "core/kernels/norm.h"

#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

void group_norm(const GroupNormShape& s, Activation f, double epsilon, ConstView x, ConstView gamma,
                ConstView beta, View y, View mean, View rstd) {
  const Index width = s.channels / s.groups;
  const double count = static_cast<double>(width * s.positions);
  for (Index b = 0; b < s.batch; ++b)
    for (Index g = 0; g < s.groups; ++g) {
      const auto for_group = [&](auto body) {
        for (Index p = 0; p < s.positions; ++p)
          for (Index c = g * width; c < (g + 1) * width; ++c)
            body((b * s.positions + p) * s.channels + c, c);
      };
      double m = 0, variance = 0;
      for_group([&](Index at, Index) { m += double{x[at]} / count; });
      for_group([&](Index at, Index) { variance += (x[at] - m) * (x[at] - m) / count; });
      const double r = 1 / std::sqrt(variance + epsilon);
      mean[b * s.groups + g] = static_cast<Real>(m);
      rstd[b * s.groups + g] = static_cast<Real>(r);
      for_group([&](Index at, Index c) {
        const double value = gamma[c] * ((x[at] - m) * r) + beta[c];
        y[at] = static_cast<Real>(value);
      });
    }
  activate(f, y);
}

void group_norm_backward(const GroupNormShape& s, Activation f, ConstView x, ConstView gamma,
                         ConstView y, ConstView mean, ConstView rstd, ConstView dy,
                         const NormGradients& gradients) {
  const Index width = s.channels / s.groups;
  const double count = static_cast<double>(width * s.positions);
  for (Index b = 0; b < s.batch; ++b)
    for (Index g = 0; g < s.groups; ++g) {
      const double m = mean[b * s.groups + g], r = rstd[b * s.groups + g];
      // Calls body(index, channel, x', d loss / d (gamma x' + beta)).
      const auto for_group = [&](auto body) {
        for (Index p = 0; p < s.positions; ++p)
          for (Index c = g * width; c < (g + 1) * width; ++c) {
            const Index at = (b * s.positions + p) * s.channels + c;
            Real d = 0;
            activation_backward(f, {y.data + at, {1}}, {dy.data + at, {1}}, {&d, {1}});
            body(at, c, (x[at] - m) * r, double{d});
          }
      };
      double mean_d = 0, mean_dx = 0;
      for_group([&](Index, Index c, double normed, double d) {
        if (gradients.dgamma.data) gradients.dgamma[c] += static_cast<Real>(d * normed);
        if (gradients.dbeta.data) gradients.dbeta[c] += static_cast<Real>(d);
        mean_d += gamma[c] * d / count;
        mean_dx += gamma[c] * d * normed / count;
      });
      if (!gradients.dx.data) continue;
      for_group([&](Index at, Index c, double normed, double d) {
        const auto value = static_cast<Real>(r * (gamma[c] * d - mean_d - normed * mean_dx));
        gradients.dx[at] = gradients.write == Write::kAssign ? value : gradients.dx[at] + value;
      });
    }
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
