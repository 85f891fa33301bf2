// The signs of dead attention, one by one.
#pragma once

#include <string>
#include <vector>

#include "captioning/study/evaluation/dead_attention.h"

namespace saccade {

enum class DeadKind {
  kStatic,    // most maps are equal to the one before
  kUniform,   // one region drawn per word hardly tells the maps from uniform ones
  kOneCell,   // it hardly tells them from maps that lie on one cell each
  kNeedless,  // captions are as good with other maps
};

struct DeadSign {
  DeadKind kind = DeadKind::kStatic;
  std::string text;  // the sign in words, with its numbers
};

// The signs that hold by the rules of dead_attention(), in their order.
std::vector<DeadSign> dead_signs(const AttentionReport& report);

// The same and, where it is not among them, kOneCell where it holds by itself: captions may need
// maps that lie on one cell each, but a map that has collapsed so early learns no other cell.
std::vector<DeadSign> warning_signs(const AttentionReport& report);

}  // namespace saccade
