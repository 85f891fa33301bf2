// The regions on which attention should lie at a word, or a piece of a word, of a training caption.
#pragma once

#include <vector>

#include "core/base/real.h"

namespace saccade {

struct AttentionTarget {
  Index caption = 0;         // its place in the shard
  Index word = 0;            // its place among the words or pieces of the caption
  std::vector<Real> inside;  // [L], the share of each region that is inside the word's boxes
};

}  // namespace saccade
