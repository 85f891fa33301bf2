#include "captioning/model/decoders/image_entry.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/attention_ops.h"
#include "core/ops/linear.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A vector per memory [M, C] as the vector of each of `rows` rows [rows, C].
Var for_rows(Tape& tape, Var vectors, Index rows, Index group) {
  const View ones{tape.scratch(rows), {rows, 1}};
  std::fill_n(ones.data, rows, Real{1});
  return ops::context(ops::reshape(vectors, {vectors.rows(), 1, vectors.cols()}),
                      tape.constant(ones), {}, group);
}

// Adds the image as a whole to the context that an attention gives: z + P g. P starts as zero. The
// product is the last part of the memory, and computed once per image.
class AttentionAndPooled : public Attention {
 public:
  AttentionAndPooled(std::unique_ptr<Attention> attention, const DecoderParts& parts,
                     const ParamScope& scope)
      : attention_(std::move(attention)),
        weight_(ParamScope(scope.store(), scope.prefix() + ".pooled", ParameterUse::kAddition)
                    .declare("weight", {parts.widths.features, width_of_context(parts)},
                             Init::constant(0))) {}

  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override {
    AttentionMemory memory = attention_->prepare(tape, regions, layout);
    memory.pooled = pooled_of(tape, memory);
    memory.parts.push_back(ops::linear(memory.pooled, tape.parameter(weight_)));
    return memory;
  }

  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    return attention_->start(tape, own(memory));
  }

  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var> state,
                 const AttendContext& context) const override {
    Glimpse glimpse = attention_->attend(tape, query, own(memory), state, context);
    const Var pooled = for_rows(tape, memory.parts.back(), query.rows(), memory.layout.group);
    glimpse.context = ops::add(glimpse.context, pooled);
    return glimpse;
  }

  Promises promises() const override { return attention_->promises(); }

 private:
  // The memory with the parts of the attention alone.
  static AttentionMemory own(AttentionMemory memory) {
    memory.parts.pop_back();
    return memory;
  }

  std::unique_ptr<Attention> attention_;
  int weight_;
};

// Gives every word the image as a whole. Where that is the mean of the regions, it is computed once
// per image.
class PooledContext : public Attention {
 public:
  AttentionMemory prepare(Tape& tape, const RegionVectors& regions,
                          const MemoryLayout& layout) const override {
    AttentionMemory memory = bare_memory(regions, layout);
    memory.pooled = pooled_of(tape, memory);
    return memory;
  }

  Glimpse attend(Tape& tape, Var query, const AttentionMemory& memory, std::span<const Var>,
                 const AttendContext&) const override {
    const Index rows = query.rows(), group = memory.layout.group;
    Glimpse glimpse;
    glimpse.weights = even_weights(tape, memory, rows, group);
    glimpse.context = for_rows(tape, memory.pooled, rows, group);
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
  if (!parts.config.attends() && ends.keys > 0)
    throw UsageError(
        "encoder.keys needs decoder.image attention: without it nothing reads keys; leave "
        "encoder.keys and encoder.values as they are, or choose decoder.image attention");
  switch (parts.config.image) {
    case ImageEntry::kAttention:
      return make_attention(parts.attention, ends, scope);
    case ImageEntry::kAttentionAndPooled:
      return std::make_unique<AttentionAndPooled>(make_attention(parts.attention, ends, scope),
                                                  parts, scope);
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
