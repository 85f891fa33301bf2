#include "core/nn/sequence_positions.h"

#include <cmath>
#include <vector>

#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Adds the rows of the table from `first` on to every sample of x.
Var add_rows(Var x, Var table, Index first) {
  const Shape shape = x.shape(), rows = table.shape();
  SACCADE_CHECK(
      shape.rank() == 3 && shape[2] == rows[1] && first >= 0 && first + shape[1] <= rows[0],
      "[sequence_positions] ", rows, " positions for ", shape, " from position ", first);
  std::vector<int> ids(static_cast<std::size_t>(shape[0] * shape[1]));
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<int>(first + static_cast<Index>(i) % shape[1]);
  return ops::add(x, ops::reshape(ops::embedding(table, ids), shape));
}

Tensor sinusoids(const SequenceExtents& extents) {
  Tensor table({extents.most, extents.features});
  for (Index t = 0; t < extents.most; ++t)
    for (Index c = 0; c < extents.features; ++c) {
      const double share = static_cast<double>(c - c % 2) / static_cast<double>(extents.features);
      const double angle = static_cast<double>(t) / std::pow(1e4, share);
      table.view().row(t)[c] = static_cast<Real>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return table;
}

}  // namespace

Var SinusoidalPositions::operator()(Tape& tape, Var x, Index first) const {
  std::call_once(made_, [&] { table_ = sinusoids(extents_); });
  return add_rows(x, tape.constant(table_.view()), first);
}

LearnedPositions::LearnedPositions(const ParamScope& scope, const SequenceExtents& extents)
    : table_(scope.declare("table", {extents.most, extents.features}, Init::normal(0.02),
                           Decay::kNo)) {}

Var LearnedPositions::operator()(Tape& tape, Var x, Index first) const {
  return add_rows(x, tape.parameter(table_), first);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
