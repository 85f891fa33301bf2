#include "core/attention/mean_attention.h"

#include <algorithm>

#include "core/ops/attention_ops.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The only part is the mean, as a memory of one region. It is computed once per image.
AttentionMemory MeanAttention::prepare(Tape& tape, const RegionVectors& regions,
                                       const MemoryLayout& layout) const {
  AttentionMemory memory = bare_memory(regions, layout);
  const Shape shape = regions.features.shape();
  memory.parts.push_back(ops::reshape(mean_of_regions(tape, memory), {shape[0], 1, shape[2]}));
  return memory;
}

Glimpse MeanAttention::attend(Tape& tape, Var query, const AttentionMemory& memory,
                              std::span<const Var>, const AttendContext&) const {
  const Index rows = query.rows(), group = memory.layout.group;
  const View ones{tape.scratch(rows), {rows, 1}};
  std::fill_n(ones.data, rows, Real{1});
  Glimpse glimpse;
  glimpse.weights = even_weights(tape, memory, rows, group);
  glimpse.context = ops::context(memory.parts[0], tape.constant(ones), {}, group);
  if (gate_) gate_->apply(tape, query, glimpse);
  return glimpse;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
