// What the probability of a word is conditioned on under hard attention. The choice stands apart
// from the others of hard attention (hard_config.h), because every mechanism is given it.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

// The probability of a word in the likelihood that training maximises.
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
