// The choices of `attention.normalizer`: one enumerator for each line of the registry.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class NormalizerKind {
#define SACCADE_NORMALIZER(name, enumerator, ...) enumerator,
#include "core/attention/normalizers.def"
#undef SACCADE_NORMALIZER
};
constexpr auto enum_table(NormalizerKind) {
  using enum NormalizerKind;
  return enum_rows<NormalizerKind>({
#define SACCADE_NORMALIZER(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/normalizers.def"
#undef SACCADE_NORMALIZER
  });
}

}  // namespace saccade
