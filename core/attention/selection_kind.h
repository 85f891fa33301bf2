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

// Whether a word takes the region that an observer draws for it, and its weights learn by an
// estimator (attention.hard). gumbel_st draws inside of the mechanism, only in training, and learns
// by the gradient of a relaxation.
constexpr bool draws_regions(SelectionKind kind) { return kind == SelectionKind::kHard; }

}  // namespace saccade
