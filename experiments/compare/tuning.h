// Settings that each arm gets for itself before arms are compared: at settings that suit another
// arm, an arm shows less than it can. Every arm has the same trials, scored on validation images.
#pragma once

#include <optional>
#include <vector>

#include "experiments/compare/comparison.h"

namespace saccade {

// The trials of an arm: itself with every combination of config.compare.tune, until tune_stop, in
// folders below its own; none where nothing is tuned. Throws UsageError on a path that the arm sets
// itself, and what expand_arms throws.
std::vector<Arm> trials_of(const Arm& arm);

// The trial with the best score by `metric`, the first of equals; none where all failed.
std::optional<std::size_t> best_trial(const std::vector<Trial>& trials, const std::string& metric);

// The arm with the values of one of its trials.
Arm tuned_arm(const Arm& arm, const Arm& trial);

}  // namespace saccade
