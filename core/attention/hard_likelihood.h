// What the likelihood of a word conditions on in a model with hard attention. Every mechanism is
// given it (AttendContext::likelihood).
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

// What the likelihood of a word conditions on: the region that was drawn for it, or nothing,
// because the region is summed out.
enum class HardLikelihood { kChoice, kMarginal };
// The names of the likelihoods (`attention.hard.likelihood`).
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
