// The choices of attention.score and attention.mechanism. A program adds rows of its own, under
// names for its configs.
#pragma once

#include "core/attention/mechanisms/mechanism.h"
#include "core/attention/scores/score.h"
#include "core/base/registry.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// A program passes one to what reads its configs and checkpoints (CaptionerOptions,
// TrainingOptions), and its names are valid only there. Those of plugins (plugin.h) are valid
// everywhere.
struct AttentionRegistry {
  AttentionRegistry();  // the choices of saccade, and those of the plugins that were loaded

  // What stands beside the axes; only a gate goes with it. `composed` has no factory.
  Registry<MechanismFactory> mechanisms;
  // A score goes with every scope, normalizer, selection, gate and number of heads, and may read
  // attention.hidden. `none` has no factory.
  Registry<ScoreFactory> scores;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
