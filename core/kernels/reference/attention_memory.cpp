#include "core/kernels/attention_memory.h"

#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

namespace {
const Real* region(ConstView memory, Index m, Index l) {
  return memory.data + (m * memory.shape[1] + l) * memory.shape[2];
}
Real* region(View memory, Index m, Index l) {
  return memory.data + (m * memory.shape[1] + l) * memory.shape[2];
}
}  // namespace

void additive_score(ConstView keys, ConstView query, ConstView v, Index group, View e) {
  for (Index r = 0; r < query.rows(); ++r)
    for (Index l = 0; l < keys.shape[1]; ++l) {
      Real sum = 0;
      for (Index a = 0; a < v.size(); ++a)
        sum += v[a] * std::tanh(region(keys, r / group, l)[a] + query.row(r)[a]);
      e.row(r)[l] = sum;
    }
}

void additive_score_backward(ConstView keys, ConstView query, ConstView v, Index group,
                             ConstView de, View dkeys, View dquery, View dv) {
  for (Index r = 0; r < query.rows(); ++r)
    for (Index l = 0; l < keys.shape[1]; ++l)
      for (Index a = 0; a < v.size(); ++a) {
        const Real u = std::tanh(region(keys, r / group, l)[a] + query.row(r)[a]);
        const Real d = de.row(r)[l];
        dv[a] += d * u;
        region(dkeys, r / group, l)[a] += d * v[a] * (1 - u * u);
        dquery.row(r)[a] += d * v[a] * (1 - u * u);
      }
}

void memory_dot(ConstView memory, ConstView query, Index group, Real scale, Real beta, View e) {
  for (Index r = 0; r < query.rows(); ++r)
    for (Index l = 0; l < memory.shape[1]; ++l) {
      Real sum = 0;
      for (Index d = 0; d < memory.shape[2]; ++d)
        sum += region(memory, r / group, l)[d] * query.row(r)[d];
      Real& out = e.row(r)[l];
      out = scale * sum + (beta == 0 ? Real(0) : beta * out);
    }
}

void memory_sum(ConstView memory, ConstView weights, Index group, Real scale, Real beta, View z) {
  for (Index r = 0; r < weights.rows(); ++r)
    for (Index d = 0; d < memory.shape[2]; ++d) {
      Real sum = 0;
      for (Index l = 0; l < memory.shape[1]; ++l)
        sum += weights.row(r)[l] * region(memory, r / group, l)[d];
      Real& out = z.row(r)[d];
      out = scale * sum + (beta == 0 ? Real(0) : beta * out);
    }
}

void memory_outer(ConstView weights, ConstView dz, Index group, Real scale, View dmemory) {
  for (Index r = 0; r < weights.rows(); ++r)
    for (Index l = 0; l < dmemory.shape[1]; ++l)
      for (Index d = 0; d < dmemory.shape[2]; ++d)
        region(dmemory, r / group, l)[d] += scale * weights.row(r)[l] * dz.row(r)[d];
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
