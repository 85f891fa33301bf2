// The choices of `decoder.type`: one enumerator for each line of the registry.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class DecoderKind {
#define SACCADE_DECODER(name, enumerator, ...) enumerator,
#include "captioning/model/decoders/decoders.def"
#undef SACCADE_DECODER
};
constexpr auto enum_table(DecoderKind) {
  using enum DecoderKind;
  return enum_rows<DecoderKind>({
#define SACCADE_DECODER(name, enumerator, text, ...) {enumerator, #name, text},
#include "captioning/model/decoders/decoders.def"
#undef SACCADE_DECODER
  });
}

}  // namespace saccade
