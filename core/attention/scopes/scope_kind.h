// The choices of `attention.scope`: one enumerator for each line of the registry.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class ScopeKind {
#define SACCADE_SCOPE(name, enumerator, ...) enumerator,
#include "core/attention/scopes/scopes.def"
#undef SACCADE_SCOPE
};
constexpr auto enum_table(ScopeKind) {
  using enum ScopeKind;
  return enum_rows<ScopeKind>({
#define SACCADE_SCOPE(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/scopes/scopes.def"
#undef SACCADE_SCOPE
  });
}

}  // namespace saccade
