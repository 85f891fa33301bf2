// The choices of `attention.score`: one enumerator for each line of the registry, and none.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class ScoreKind {
#define SACCADE_SCORE(name, enumerator, ...) enumerator,
#include "core/attention/scores/scores.def"
#undef SACCADE_SCORE
  kNone
};
constexpr auto enum_table(ScoreKind) {
  using enum ScoreKind;
  return enum_rows<ScoreKind>({
#define SACCADE_SCORE(name, enumerator, formula, ...) {enumerator, #name, formula},
#include "core/attention/scores/scores.def"
#undef SACCADE_SCORE
      {kNone, "none", "no attention: the mean of all regions (plain CNN+RNN captioner)"},
  });
}

}  // namespace saccade
