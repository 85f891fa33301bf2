// The choices of `attention.mechanism`: one enumerator for each line of the registry, and composed.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

// `composed` takes the axes; the others do not factor.
enum class MechanismKind {
  kComposed,
#define SACCADE_MECHANISM(name, enumerator, ...) enumerator,
#include "core/attention/mechanisms/mechanisms.def"
#undef SACCADE_MECHANISM
};
constexpr auto enum_table(MechanismKind) {
  using enum MechanismKind;
  return enum_rows<MechanismKind>({
      {kComposed, "composed", "a choice on each axis: score, scope, normalizer, selection, ..."},
#define SACCADE_MECHANISM(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/mechanisms/mechanisms.def"
#undef SACCADE_MECHANISM
  });
}

}  // namespace saccade
