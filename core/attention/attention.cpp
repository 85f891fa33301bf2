#include "core/attention/attention.h"

#include <algorithm>

#include "core/attention/observer.h"
#include "core/ops/attention_ops.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

AttentionMemory AttentionMemory::on(Tape& tape) const {
  AttentionMemory other = *this;
  const auto move = [&](Var& v) {
    if (v) v = tape.constant(v.value());
  };
  move(other.features);
  for (Var& part : other.parts) move(part);
  move(other.layout.mask);
  move(other.pooled);
  for (Var& projection : other.projections) move(projection);
  return other;
}

AttentionMemory bare_memory(const RegionVectors& regions, const MemoryLayout& layout) {
  const Shape shape = regions.features.shape();
  SACCADE_CHECK(shape.rank() == 3, "[attention] a memory is [M, L, D]; got ", shape);
  const Shape keys = regions.scored().shape();
  SACCADE_CHECK(keys.rank() == 3 && keys[0] == shape[0] && keys[1] == shape[1], "[attention] keys ",
                keys, " for features ", shape);
  AttentionMemory memory{
      .features = regions.features, .parts = {}, .layout = layout, .pooled = regions.pooled};
  MemoryLayout& to = memory.layout;
  if (to.grid.rows == 0) to.grid = {.rows = 1, .cols = shape[1] - to.placeless};
  SACCADE_CHECK(to.grid.cells() + to.placeless == shape[1], "[attention] a grid of ", to.grid.rows,
                " x ", to.grid.cols, " for features ", shape);
  SACCADE_CHECK(!to.mask || (to.mask.rows() == shape[0] && to.mask.cols() == shape[1]),
                "[attention] a mask ", to.mask.shape(), " for features ", shape);
  return memory;
}

Var even_weights(Tape& tape, const AttentionMemory& memory, Index rows, Index group) {
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

Var mean_of_regions(Tape& tape, const AttentionMemory& memory) {
  if (!memory.layout.mask) return ops::mean_regions(memory.features);
  return ops::context(memory.features, even_weights(tape, memory, memory.features.shape()[0], 1),
                      {}, 1);
}

Var pooled_of(Tape& tape, const AttentionMemory& memory) {
  return memory.pooled ? memory.pooled : mean_of_regions(tape, memory);
}

AttentionMemory memory_of_rows(const AttentionMemory& memory, std::span<const int> images) {
  const auto gather = [&](Var x) {
    const Shape shape = x.shape();
    const Var flat = ops::reshape(x, {shape[0], shape.size() / shape[0]});
    return ops::reshape(ops::embedding(flat, images),
                        shape.with_first(static_cast<Index>(images.size())));
  };
  AttentionMemory rows = memory;
  rows.features = gather(memory.features);
  for (Var& part : rows.parts)
    part = part.id() == memory.features.id() ? rows.features : gather(part);
  if (rows.layout.mask) rows.layout.mask = gather(rows.layout.mask);
  if (rows.pooled) rows.pooled = gather(rows.pooled);
  for (Var& projection : rows.projections) projection = gather(projection);
  return rows;
}

bool AttendContext::replaces() const { return observer && observer->replaces(); }
bool AttendContext::chooses() const { return observer && observer->chooses(); }
void AttendContext::see(const Glimpse& glimpse) const {
  if (observer) observer->see(glimpse);
}

Var replaced(Tape& tape, Var weights, const AttentionMemory& memory, const AttendContext& context) {
  if (!context.replaces()) return weights;
  SACCADE_CHECK(!tape.recording(), "[attention] replaced weights have no gradient");
  const ConstView from = weights.value();
  const View out{tape.scratch(from.size()), from.shape};
  std::copy_n(from.data, from.size(), out.data);
  std::vector<Index> seen;
  std::vector<Real> row;
  for (Index r = 0; r < out.rows(); ++r) {
    const Index m = r / memory.layout.group;
    seen.clear();
    row.clear();
    for (Index l = 0; l < memory.regions(); ++l) {
      if (memory.layout.mask && memory.layout.mask.value().row(m)[l] == 0) continue;
      seen.push_back(l);
      row.push_back(out.row(r)[l]);
    }
    context.observer->replace(m, row);
    for (std::size_t i = 0; i < seen.size(); ++i) out.row(r)[seen[i]] = row[i];
  }
  return tape.constant(out);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
