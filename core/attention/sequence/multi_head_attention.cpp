#include "core/attention/sequence/multi_head_attention.h"

#include <algorithm>
#include <vector>

#include "core/ops/sdpa.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

SequenceKeys SequenceKeys::on(Tape& tape) const {
  return {tape.constant(keys.value()), tape.constant(values.value())};
}

KeyCache::KeyCache(Index rows, Index most, Index features)
    : keys_({rows, most, features}), values_({rows, most, features}) {}

void KeyCache::reorder(std::span<const int> parents) {
  const Index rows = keys_.shape()[0], row = keys_.size() / std::max<Index>(rows, 1);
  SACCADE_CHECK(static_cast<Index>(parents.size()) <= rows, "[key_cache] ", parents.size(),
                " parents for ", rows, " rows");
  for (const int parent : parents)
    SACCADE_CHECK(parent >= 0 && parent < rows, "[key_cache] parent ", parent, " of ", rows,
                  " rows");
  const Index used = length_ * keys_.shape()[2];
  for (Tensor* tensor : {&keys_, &values_}) {
    const Tensor before = tensor->clone();
    for (std::size_t r = 0; r < parents.size(); ++r)
      std::copy_n(before.data() + parents[r] * row, used,
                  tensor->data() + static_cast<Index>(r) * row);
  }
}

MultiHeadAttention::MultiHeadAttention(const ParamScope& scope, const SequenceWidths& widths,
                                       Index memory_features)
    : features_(widths.features),
      heads_(checked_heads(widths)),
      query_(scope.sub("query"), {widths.features, widths.features}),
      key_(scope.sub("key"),
           {memory_features > 0 ? memory_features : widths.features, widths.features}),
      value_(scope.sub("value"),
             {memory_features > 0 ? memory_features : widths.features, widths.features}),
      output_(scope.sub("output"), {widths.features, widths.features}) {}

SequenceKeys MultiHeadAttention::prepare(Tape& tape, Var memory) const {
  return {.keys = key_(tape, memory), .values = value_(tape, memory)};
}

Var MultiHeadAttention::attend(Tape& tape, Var x, const SequenceKeys& keys,
                               const AttentionMask& mask) const {
  return output_(tape, ops::sdpa(query_(tape, x), keys.keys, keys.values, heads_, mask));
}

ConstView MultiHeadAttention::weights(Tape& tape, Var x, const SequenceKeys& keys,
                                      const AttentionMask& mask) const {
  return ops::sdpa_weights(query_(tape, x), keys.keys, heads_, mask);
}

Var MultiHeadAttention::operator()(Tape& tape, Var x, const AttentionMask& mask) const {
  return attend(tape, x, prepare(tape, x), mask);
}

ConstView MultiHeadAttention::weights(Tape& tape, Var x, const AttentionMask& mask) const {
  return ops::sdpa_weights(query_(tape, x), key_(tape, x), heads_, mask);
}

std::vector<Var> MultiHeadAttention::kept(Tape& tape, Var x) const {
  const SequenceKeys own = prepare(tape, x);
  return {own.keys, own.values};
}

Var MultiHeadAttention::attend_causally(Tape& tape, Var x, std::span<const Var> kept) const {
  return attend(tape, x, {.keys = kept[0], .values = kept[1]},
                causal_mask(x.shape()[1], kept[0].shape()[1]));
}

ConstView MultiHeadAttention::causal_weights(Tape& tape, Var x, std::span<const Var> kept) const {
  return weights(tape, x, {.keys = kept[0], .values = kept[1]},
                 causal_mask(x.shape()[1], kept[0].shape()[1]));
}

Var MultiHeadAttention::step(Tape& tape, Var x, KeyCache& cache) const {
  const Shape extents = cache.keys_.shape();
  const Index rows = x.rows(), width = extents[2];
  SACCADE_CHECK(!tape.recording(), "[multi_head] a step has no gradient: the tape must not record");
  SACCADE_CHECK(x.shape().rank() == 2 && x.cols() == width && rows <= extents[0] &&
                    cache.length_ < extents[1],
                "[multi_head] step ", x.shape(), " at position ", cache.length_, " of a cache for ",
                extents);
  const Var key = key_(tape, x), value = value_(tape, x);
  for (Index r = 0; r < rows; ++r) {
    const Index place = (r * extents[1] + cache.length_) * width;
    std::copy_n(key.value().row(r), width, cache.keys_.data() + place);
    std::copy_n(value.value().row(r), width, cache.values_.data() + place);
  }
  ++cache.length_;
  const std::vector<int> lengths(static_cast<std::size_t>(rows), static_cast<int>(cache.length_));
  const Shape read{rows, extents[1], width};
  const SequenceKeys so_far{tape.constant({cache.keys_.data(), read}),
                            tape.constant({cache.values_.data(), read})};
  return ops::reshape(attend(tape, ops::reshape(x, {rows, 1, width}), so_far, {.lengths = lengths}),
                      x.shape());
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
