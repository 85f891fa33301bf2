#include "core/attention/mean_attention.h"

#include <algorithm>

#include "core/ops/attention_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The one part holds the mean as a memory of one region, made once an image.
AttentionMemory MeanAttention::prepare(Tape& tape, Var features, const MemoryLayout& layout) const {
  AttentionMemory memory = bare_memory(features, layout);
  const Shape shape = features.shape();
  Var mean;
  if (const Var mask = memory.layout.mask) {
    mean = ops::context(features, mean_weights(tape, memory, shape[0], 1), {}, 1);
  } else {
    mean = ops::mean_regions(features);
  }
  memory.parts.push_back(ops::reshape(mean, {shape[0], 1, shape[2]}));
  return memory;
}

Var MeanAttention::mean_weights(Tape& tape, const AttentionMemory& memory, Index rows,
                                Index group) {
  const Index regions = memory.regions();
  const View out{tape.scratch(rows * regions), {rows, regions}};
  for (Index r = 0; r < rows; ++r) {
    Real* row = out.row(r);
    if (memory.layout.mask)
      std::copy_n(memory.layout.mask.value().row(r / group), regions, row);
    else
      std::fill_n(row, regions, Real{1});
    Real count = 0;
    for (Index l = 0; l < regions; ++l) count += row[l];
    for (Index l = 0; l < regions && count > 0; ++l) row[l] /= count;
  }
  return tape.constant(out);
}

Glimpse MeanAttention::attend(Tape& tape, Var query, const AttentionMemory& memory,
                              std::span<const Var>, const AttendContext&) const {
  const Index rows = query.rows(), group = memory.layout.group;
  const View ones{tape.scratch(rows), {rows, 1}};
  std::fill_n(ones.data, rows, Real{1});
  Glimpse glimpse;
  glimpse.weights = mean_weights(tape, memory, rows, group);
  glimpse.context = ops::context(memory.parts[0], tape.constant(ones), {}, group);
  if (gate_) gate_->apply(tape, query, glimpse);
  return glimpse;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
