// The choices of `attention.gate`: one enumerator for each line of the registry.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class GateKind {
#define SACCADE_GATE(name, enumerator, ...) enumerator,
#include "core/attention/gates.def"
#undef SACCADE_GATE
};
constexpr auto enum_table(GateKind) {
  using enum GateKind;
  return enum_rows<GateKind>({
#define SACCADE_GATE(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/gates.def"
#undef SACCADE_GATE
  });
}

}  // namespace saccade
