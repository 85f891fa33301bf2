// All gradients that a tape holds for the parameters of a store, as one flat vector: what the
// optimizer step would compute, in the plainest way.
#pragma once

#include <vector>

#include "core/autograd/tape.h"
#include "core/nn/parameter_store.h"

namespace saccade::test {

inline std::vector<Real> parameter_gradients(const Tape& tape, const ParameterStore& store) {
  std::vector<Real> flat(static_cast<std::size_t>(store.flat_size()), 0);
  const auto at = [&](int parameter, Index i) -> Real& {
    return flat[static_cast<std::size_t>(store.info(parameter).offset + i)];
  };
  for (std::size_t p = 0; p < store.count(); ++p) {
    const ConstView dense = tape.parameter_grad(static_cast<int>(p));
    if (!dense.data) continue;
    for (Index i = 0; i < dense.size(); ++i) at(static_cast<int>(p), i) += dense[i];
  }
  for (const LinearGrad& job : tape.linear_grads())
    for (Index n = 0; n < job.x.rows(); ++n)
      for (Index i = 0; i < job.x.cols(); ++i)
        for (Index o = 0; o < job.dy.cols(); ++o)
          at(job.parameter, i * job.dy.cols() + o) += job.x.row(n)[i] * job.dy.row(n)[o];
  for (const RowsGrad& job : tape.rows_grads())
    for (std::size_t n = 0; n < job.ids.size(); ++n)
      for (Index c = 0; c < job.dy.cols(); ++c)
        at(job.parameter, job.ids[n] * job.dy.cols() + c) += job.dy.row(static_cast<Index>(n))[c];
  return flat;
}

}  // namespace saccade::test
