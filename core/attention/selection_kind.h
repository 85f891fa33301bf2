// The choices of `attention.selection`: one enumerator for each line of the registry.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class SelectionKind {
#define SACCADE_SELECTION(name, enumerator, ...) enumerator,
#include "core/attention/selections.def"
#undef SACCADE_SELECTION
};
constexpr auto enum_table(SelectionKind) {
  using enum SelectionKind;
  return enum_rows<SelectionKind>({
#define SACCADE_SELECTION(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/selections.def"
#undef SACCADE_SELECTION
  });
}

}  // namespace saccade
