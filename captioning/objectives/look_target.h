// Where attention should look for a word of a training caption.
#pragma once

#include <vector>

#include "core/base/real.h"

namespace saccade {

struct LookTarget {
  Index caption = 0;         // of the shard
  Index word = 0;            // of the caption
  std::vector<Real> inside;  // [L], the share of each region that is inside the word's boxes
};

}  // namespace saccade
