// The signs of dead attention, one by one, and what can be done about each.
#pragma once

#include <string>
#include <vector>

#include "captioning/evaluation/dead_attention.h"

namespace saccade {

struct ExperimentConfig;

enum class DeadKind {
  kStatic,    // most maps are equal to the one before
  kUniform,   // most maps are uniform
  kNeedless,  // captions are as good with other maps
};

struct DeadSign {
  DeadKind kind = DeadKind::kStatic;
  std::string text;  // the sign in words, with its numbers
};

// The signs that hold by the rules of dead_attention(), in their order.
std::vector<DeadSign> dead_signs(const AttentionReport& report);

// What a person may change in the config that trained such maps, in words; never empty.
std::string dead_remedy(DeadKind kind, const ExperimentConfig& config);

}  // namespace saccade
