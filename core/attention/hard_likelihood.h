// What the words of a model with hard attention condition on. It stands apart from the other
// choices of hard attention (hard_config.h), because every mechanism is given it.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

// What REINFORCE is a part of.
enum class HardLikelihood { kChoice, kMarginal };
constexpr auto enum_table(HardLikelihood) {
  using enum HardLikelihood;
  return enum_rows<HardLikelihood>({
      {kChoice, "choice", "p(word | the region that was drawn)"},
      {kMarginal, "marginal",
       "sum_i alpha_i p(word | region i), exact at every word; a drawn region only affects the "
       "words after it"},
  });
}

}  // namespace saccade
