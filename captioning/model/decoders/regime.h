// How a model with a map makes its context while it decodes.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

// evaluation_regimes() (model/model.h) lists the regimes that suit a model.
enum class Regime {
  kExpectation,  // the weighted mean of all regions
  kArgmax,       // the region of the largest weight
  kSample,       // a region drawn from the weights
  kMarginal,     // the words' distributions of all regions, mixed by the weights; the state
                 // continues with the weighted mean
};
constexpr auto enum_table(Regime) {
  using enum Regime;
  return enum_rows<Regime>({{kExpectation, "expectation", "the weighted mean of all regions"},
                            {kArgmax, "argmax", "the region of the largest weight"},
                            {kSample, "sample", "a region drawn from the weights"},
                            {kMarginal, "marginal",
                             "the words' distributions of all regions, mixed by the weights; the "
                             "state goes on with the weighted mean"}});
}

}  // namespace saccade
