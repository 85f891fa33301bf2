// The visual sentinel (Lu et al. 2017): one more choice beside the regions, for words that need no
// image.
#include "core/attention/composed.h"
#include "core/base/error.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

ComposedAttention::SentinelVectors ComposedAttention::sentinel_of(
    Tape& tape, const AttendContext& context) const {
  if (parts_.sentinel_weight < 0) return {};
  SACCADE_CHECK(context.sentinel, "[attention] the decoder gave no sentinel");
  const Var value = ops::linear(context.sentinel, tape.parameter(parts_.sentinel_weight));
  return {.value = value,
          .key = parts_.sentinel_key < 0
                     ? value
                     : ops::linear(context.sentinel, tape.parameter(parts_.sentinel_key))};
}

// Every row is a memory of one region [R, 1, K], which is scored like any other.
Var ComposedAttention::sentinel_score(Tape& tape, const AttentionHead& head, Var query, Var key) {
  const Var regions = ops::reshape(key, {key.rows(), 1, key.cols()});
  return head.score->scores(tape, query, head.score->keys(tape, regions), 1);
}

Var ComposedAttention::with_sentinel(Tape& tape, const AttentionHead& head, Var context,
                                     Var sentinel, Var share) {
  Var value = sentinel;
  if (head.value_weight >= 0) value = ops::linear(value, tape.parameter(head.value_weight));
  return ops::add(context, ops::scale_rows(value, share));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
