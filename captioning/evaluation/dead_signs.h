// The signs by which attention is called dead, one by one, and what may be done about each.
#pragma once

#include <string>
#include <vector>

#include "captioning/evaluation/dead_attention.h"
#include "core/config/experiment_config.h"

namespace saccade {

enum class DeadKind {
  kStatic,    // maps are the one before again
  kUniform,   // maps are uniform
  kNeedless,  // captions are as good with other maps
};

struct DeadSign {
  DeadKind kind = DeadKind::kStatic;
  std::string text;  // with its numbers
};

// Those of the rules of dead_attention() that hold, in its order.
std::vector<DeadSign> dead_signs(const AttentionReport& report);

// What a person may change in a config that trains to such maps, in words; never empty.
std::string dead_remedy(DeadKind kind, const ExperimentConfig& config);

}  // namespace saccade
