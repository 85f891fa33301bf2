// Where the layers of a transformer normalise.
#pragma once

#include "core/base/enum_names.h"

namespace saccade {

enum class NormPlacement { kPre, kPost };
constexpr auto enum_table(NormPlacement) {
  using enum NormPlacement;
  return enum_rows<NormPlacement>({
      {kPre, "pre",
       "x + f(norm(x)), and once at the end (a refinement: not at the end); it can be trained "
       "without a warm-up, and may still gain from one"},
      {kPost, "post", "norm(x + f(x)), as published in 2017"},
  });
}

}  // namespace saccade
