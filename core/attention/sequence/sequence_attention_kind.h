// The attentions over a sequence (`encoder.refine.type`): one enumerator for each line of the
// registry.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class SequenceAttentionKind {
#define SACCADE_SEQUENCE_ATTENTION(name, enumerator, ...) enumerator,
#include "core/attention/sequence/sequence_attentions.def"
#undef SACCADE_SEQUENCE_ATTENTION
};
constexpr auto enum_table(SequenceAttentionKind) {
  using enum SequenceAttentionKind;
  return enum_rows<SequenceAttentionKind>({
#define SACCADE_SEQUENCE_ATTENTION(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/sequence/sequence_attentions.def"
#undef SACCADE_SEQUENCE_ATTENTION
  });
}

}  // namespace saccade
