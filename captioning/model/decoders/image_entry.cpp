#include "captioning/model/decoders/image_entry.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/attention_ops.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Gives every word the image as a whole. Where that is the mean of the regions, it is computed once
// per image.
class PooledContext : public Attention {
 public:
  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override {
    AttentionMemory memory = bare_memory(regions, layout);
    memory.pooled = mean_of_regions(tape, memory);
    return memory;
  }

  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var>,
                 const AttendContext&) const override {
    const Index rows = query.rows(), group = memory.layout.group;
    const Var pooled = memory.pooled;
    const View ones{tape.scratch(rows), {rows, 1}};
    std::fill_n(ones.data, rows, Real{1});
    Glimpse glimpse;
    glimpse.weights = even_weights(tape, memory, rows, group);
    glimpse.context = ops::context(ops::reshape(pooled, {pooled.rows(), 1, pooled.cols()}),
                                   tape.constant(ones), {}, group);
    return glimpse;
  }

  Promises promises() const override { return {.depends_on_query = false}; }
};

// Gives words no context.
class NoContext : public Attention {
 public:
  AttentionMemory prepare(Tape&, const RegionVectors& regions,
                          const MemoryLayout& layout) const override {
    return bare_memory(regions, layout);
  }

  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var>,
                 const AttendContext&) const override {
    Glimpse glimpse;
    glimpse.weights = even_weights(tape, memory, query.rows(), memory.layout.group);
    return glimpse;
  }

  Promises promises() const override { return {.depends_on_query = false}; }
};

}  // namespace

std::unique_ptr<Attention> make_image_attention(const DecoderParts& parts,
                                                const AttentionEnds& ends,
                                                const ParamScope& scope) {
  if (parts.config.image != ImageEntry::kAttention && ends.keys > 0)
    throw UsageError(
        "encoder.keys needs decoder.image attention: without it nothing reads keys; leave "
        "encoder.keys and encoder.values as they are, or choose decoder.image attention");
  switch (parts.config.image) {
    case ImageEntry::kAttention:
      return make_attention(parts.attention, ends, scope);
    case ImageEntry::kEveryWord:
      return std::make_unique<PooledContext>();
    case ImageEntry::kFirstStep:
    case ImageEntry::kPrefix:
    case ImageEntry::kNone:
      return std::make_unique<NoContext>();
  }
  throw InternalError("unknown value of decoder.image");
}

Index width_of_context(const DecoderParts& parts) {
  return parts.config.attends() ? parts.attention.context_width(parts.widths.features)
                                : parts.widths.features;
}

int declare_context(const ParamScope& scope, const std::string& name, const DecoderParts& parts,
                    Index out) {
  return parts.config.has_context() ? declare_matrix(scope, name, width_of_context(parts), out)
                                    : -1;
}

ImageWord::ImageWord(const DecoderParts& parts, Index width)
    : weight_(declare_matrix(parts.scope.sub("image"), "weight", parts.widths.features, width)),
      bias_(declare_bias(parts.scope.sub("image"), "bias", width)) {}

Var ImageWord::operator()(Tape& tape, const AttentionMemory& memory) const {
  return ops::linear(pooled_of(tape, memory), tape.parameter(weight_), tape.parameter(bias_));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
