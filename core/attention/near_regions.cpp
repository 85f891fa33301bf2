// Where a scope shows a few regions of a large grid, only these are scored.
#include "core/attention/composed.h"
#include "core/ops/alignment_ops.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A memory of near regions. Where all queries have the same list, it has one entry per memory, and
// otherwise one per query.
class NearMemory {
 public:
  NearMemory(Tape& tape, const AttentionMemory& memory, const NearRegions& near, Index rows)
      : count_(near.count) {
    const Index group = memory.layout.group, regions = memory.regions();
    const bool shared = near.shared();
    const Index entries = shared ? (rows + group - 1) / group : rows;
    const Var mask = memory.layout.mask;
    View seen;
    if (mask || !near.seen.empty()) seen = {tape.scratch(entries * count_), {entries, count_}};
    for (Index e = 0; e < entries; ++e) {
      const Index m = shared ? e : e / group, list = shared ? 0 : e * count_;
      for (Index w = 0; w < count_; ++w) {
        const auto at = static_cast<std::size_t>(list + w);
        const int region = near.regions[at];
        rows_.push_back(static_cast<int>(m * regions) + region);
        if (seen.data)
          seen.row(e)[w] = (!mask || mask.value().row(m)[region] != 0) &&
                                   (near.seen.empty() || near.seen[at] != 0)
                               ? Real{1}
                               : Real{0};
      }
    }
    memory_.layout = {.grid = {.rows = 1, .cols = count_},
                      .group = shared ? group : 1,
                      .mask = seen.data ? tape.constant(seen) : Var{}};
    const View none{tape.scratch(1), {entries, count_, 0}};
    memory_.features = tape.constant(none);
  }
  // Its layout, and features without content.
  const AttentionMemory& memory() const { return memory_; }
  // The near regions of a part [M, L, C] -> [N, W, C].
  Var gathered(Var part) const {
    const Shape shape = part.shape();
    const Var all = ops::reshape(part, {shape[0] * shape[1], shape[2]});
    return ops::reshape(ops::embedding(all, rows_),
                        {memory_.features.shape()[0], count_, shape[2]});
  }

 private:
  Index count_;
  AttentionMemory memory_;
  std::vector<int> rows_;  // [N W], the rows of all regions of all memories
};

}  // namespace

ComposedAttention::HeadOutput ComposedAttention::attend_near(
    Tape& tape, std::size_t number, Var query, const AttentionMemory& memory,
    const NearRegions& near, const SentinelVectors& sentinel, const AttendContext& context) const {
  const AttentionHead& head = parts_.heads[number];
  const NearMemory seen(tape, memory, near, query.rows());
  const Index group = seen.memory().layout.group, regions = memory.regions();
  const Var scores = scores_of(tape, head, query, seen.gathered(memory.parts[2 * number]), group,
                               sentinel, context);
  const Weighed weighed = head.scope->weigh_near(tape, seen.memory(), near,
                                                 {.scores = scores,
                                                  .query = query,
                                                  .state = {},
                                                  .step = context.step,
                                                  .normalizer = normalizer_});
  Var on_near = weighed.weights;
  if (sentinel.value) on_near = ops::slice_cols(weighed.weights, 0, near.count);
  HeadOutput out;
  out.context = ops::context(seen.gathered(memory.parts[2 * number + 1]), on_near, {}, group);
  out.weights = ops::place_regions(on_near, near.regions, regions);
  if (!sentinel.value) return out;
  const Var share = ops::slice_cols(weighed.weights, near.count, 1);
  out.context = with_sentinel(tape, head, out.context, sentinel.value, share);
  out.weights = ops::concat_cols(std::vector<Var>{out.weights, share});
  return out;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
