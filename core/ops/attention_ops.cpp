#include "core/ops/attention_ops.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/attention_memory.h"
#include "core/kernels/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

void check_memory(const char* op, Var memory, Var rows, Index group) {
  const Shape& shape = memory.shape();
  SACCADE_CHECK(shape.rank() == 3, "[", op, "] a memory is [M, L, D]; got ", shape);
  SACCADE_CHECK(group >= 1 && rows.rows() <= shape[0] * group, "[", op, "] ", rows.rows(),
                " query rows in groups of ", group, " for ", shape[0], " memories");
}

// The gradient of v, or scratch memory where v requires none.
View grad_or_scratch(Tape& tape, Var v) {
  if (v.requires_grad()) return tape.grad(v);
  return {tape.scratch(v.shape().size()), v.shape()};
}

}  // namespace

Var additive_score(Var keys, Var query, Var v, Index group) {
  check_memory("additive_score", keys, query, group);
  SACCADE_CHECK(keys.cols() == query.cols() && v.shape().size() == query.cols(),
                "[additive_score] widths differ; keys ", keys.shape(), ", query ", query.shape(),
                ", v ", v.shape());
  Tape& tape = query.tape();
  const Var e = tape.output({query.rows(), keys.shape()[1]}, {keys, query, v});
  kernels::additive_score(keys.value(), query.value(), v.value(), group, tape.mutable_value(e));
  tape.record(e, [keys, query, v, e, group, t = &tape] {
    kernels::additive_score_backward(keys.value(), query.value(), v.value(), group, t->grad(e),
                                     grad_or_scratch(*t, keys), grad_or_scratch(*t, query),
                                     grad_or_scratch(*t, v));
  });
  return e;
}

Var dot_score(Var keys, Var query, Real scale, Index group) {
  check_memory("dot_score", keys, query, group);
  SACCADE_CHECK(keys.cols() == query.cols(), "[dot_score] widths differ; keys ", keys.shape(),
                ", query ", query.shape());
  Tape& tape = query.tape();
  const Var e = tape.output({query.rows(), keys.shape()[1]}, {keys, query});
  kernels::memory_dot(keys.value(), query.value(), group, scale, 0, tape.mutable_value(e));
  tape.record(e, [keys, query, e, scale, group, t = &tape] {
    const ConstView de = t->grad(e);
    if (query.requires_grad())
      kernels::memory_sum(keys.value(), de, group, scale, 1, t->grad(query));
    if (keys.requires_grad()) kernels::memory_outer(de, query.value(), group, scale, t->grad(keys));
  });
  return e;
}

Var context(Var features, Var weights, std::span<const int> chosen, Index group) {
  check_memory("context", features, weights, group);
  const Index regions = features.shape()[1];
  SACCADE_CHECK(weights.cols() == regions, "[context] weights ", weights.shape(), " for features ",
                features.shape());
  SACCADE_CHECK(chosen.empty() || static_cast<Index>(chosen.size()) == weights.rows(), "[context] ",
                chosen.size(), " choices for ", weights.rows(), " rows");
  for (const int c : chosen)
    SACCADE_CHECK(c < regions, "[context] choice ", c, " of ", regions, " regions");
  Tape& tape = weights.tape();
  const std::span<int> picks = tape.keep(chosen);
  const Index rows = weights.rows(), width = features.cols();
  const Var z = tape.output({rows, width}, {features, weights});
  // A hard row is computed as a sum with one-hot weights: there is one code path, and terms that
  // are skipped cost nothing.
  const View out = tape.mutable_value(z);
  const auto region = [=](Real* base, Index r, Index l) {
    return base + ((r / group) * regions + l) * width;
  };
  if (picks.empty()) {
    kernels::memory_sum(features.value(), weights.value(), group, 1, 0, out);
  } else {
    for (Index r = 0; r < rows; ++r) {
      const int pick = picks[static_cast<std::size_t>(r)];
      if (pick >= 0) {
        std::copy_n(region(const_cast<Real*>(features.value().data), r, pick), width, out.row(r));
      } else {
        kernels::memory_sum(
            {region(const_cast<Real*>(features.value().data), r, 0), {1, regions, width}},
            {weights.value().row(r), {1, regions}}, 1, 1, 0, {out.row(r), {1, width}});
      }
    }
  }
  tape.record(z, [=, t = &tape] {
    const View dz = t->grad(z);
    if (picks.empty()) {
      if (weights.requires_grad())
        kernels::memory_dot(features.value(), dz, group, 1, 1, t->grad(weights));
      if (features.requires_grad())
        kernels::memory_outer(weights.value(), dz, group, 1, t->grad(features));
      return;
    }
    for (Index r = 0; r < rows; ++r) {
      const int pick = picks[static_cast<std::size_t>(r)];
      const View dz_row{dz.row(r), {1, width}};
      if (pick >= 0) {
        if (features.requires_grad())
          kernels::accumulate(dz_row, {region(t->grad(features).data, r, pick), {1, width}});
        continue;
      }
      if (weights.requires_grad())
        kernels::memory_dot(
            {region(const_cast<Real*>(features.value().data), r, 0), {1, regions, width}}, dz_row,
            1, 1, 1, {t->grad(weights).row(r), {1, regions}});
      if (features.requires_grad())
        kernels::memory_outer({weights.value().row(r), {1, regions}}, dz_row, 1, 1,
                              {region(t->grad(features).data, r, 0), {1, regions, width}});
    }
  });
  return z;
}

Var coverage(std::span<const Var> weights, std::span<const Real> targets, CoverageSides sides) {
  SACCADE_CHECK(!weights.empty(), "[coverage] needs at least one step");
  Tape& tape = weights[0].tape();
  const std::span<Var> steps = tape.keep(weights);
  const Index captions = weights[0].rows(), regions = weights[0].cols();
  SACCADE_CHECK(static_cast<Index>(targets.size()) == captions, "[coverage] ", targets.size(),
                " targets for ", captions, " captions");
  const Var y = tape.output({captions}, weights);
  const View missing{tape.scratch(captions * regions),
                     {captions, regions}};  // target - sum_t alpha
  for (Index b = 0; b < captions; ++b)
    std::fill_n(missing.row(b), regions, targets[static_cast<std::size_t>(b)]);
  for (const Var alpha : steps) {
    SACCADE_CHECK(alpha.rows() <= captions && alpha.cols() == regions, "[coverage] step ",
                  alpha.shape(), " after ", weights[0].shape());
    kernels::accumulate(alpha.value(), {missing.data, alpha.shape()}, -1);
  }
  if (sides == CoverageSides::kBelow)
    for (Index i = 0; i < missing.size(); ++i) missing[i] = std::max(missing[i], Real{0});
  const View out = tape.mutable_value(y);
  for (Index b = 0; b < captions; ++b) {
    out[b] = 0;
    for (Index l = 0; l < regions; ++l) out[b] += missing.row(b)[l] * missing.row(b)[l];
  }
  tape.record(y, [=, t = &tape] {
    const View dy = t->grad(y);
    for (const Var alpha : steps) {
      if (!alpha.requires_grad()) continue;
      const View d = t->grad(alpha);
      for (Index b = 0; b < d.rows(); ++b)
        kernels::accumulate({missing.row(b), {regions}}, {d.row(b), {regions}}, -2 * dy[b]);
    }
  });
  return y;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
