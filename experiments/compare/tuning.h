// Tuning: each arm gets settings of its own before the arms are compared, because with settings
// that suit another arm it would be at a disadvantage. Every arm has the same trials, which are
// scored on validation images.
#pragma once

#include <optional>
#include <vector>

#include "experiments/compare/comparison.h"

namespace saccade {

// The trials of an arm: the arm with every combination of the values of config.compare.tune,
// trained until tune_stop, in folders below its own; empty where nothing is tuned. Throws
// UsageError on a path that the arm itself sets, and what expand_arms throws.
std::vector<Arm> trials_of(const Arm& arm);

// The index of the trial with the best score by `metric`, the first of equals; empty where all
// failed.
std::optional<std::size_t> best_trial(const std::vector<Trial>& trials, const std::string& metric);

// The arm with the values of one of its trials.
Arm tuned_arm(const Arm& arm, const Arm& trial);

}  // namespace saccade
