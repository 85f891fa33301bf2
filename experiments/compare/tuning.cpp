#include "experiments/compare/tuning.h"

#include <cmath>

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"

namespace saccade {

std::vector<Arm> trials_of(const Arm& arm) {
  const CompareConfig& compare = arm.config.compare;
  if (compare.tune.empty()) return {};
  for (const Axis& axis : compare.tune)
    for (const auto& [path, value] : arm.values)
      if (overlapping_paths(path, axis.path))
        throw UsageError(str("compare.tune: ", axis.path, " is tuned, and ", arm.name, " sets ",
                             path, " itself; leave out one of them"));
  LoadedConfig loaded{.config = arm.config, .origins = {}};
  loaded.config.compare = {};
  loaded.config.compare.axes = compare.tune;
  std::vector<Arm> trials;
  try {
    trials = expand_arms(loaded);
  } catch (const UsageError& error) {
    throw UsageError(str("compare.tune, whose values are tried like arms: ", error.what()));
  }
  for (Arm& trial : trials) {
    trial.name = arm.name + ": " + trial.name;
    trial.folder = arm.folder + "/tune/" + trial.folder;
    trial.config.train.stop = compare.tune_stop.value_or(arm.config.train.stop);
  }
  return trials;
}

std::optional<std::size_t> best_trial(const std::vector<Trial>& trials, const std::string& metric) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (std::isnan(trials[i].score)) continue;
    if (!best || is_better(metric, trials[i].score, trials[*best].score)) best = i;
  }
  return best;
}

Arm tuned_arm(const Arm& arm, const Arm& trial) {
  Arm out = arm;
  out.config = trial.config;
  out.config.train.stop = arm.config.train.stop;
  out.config.compare = arm.config.compare;
  out.values.insert(out.values.end(), trial.values.begin(), trial.values.end());
  return out;
}

}  // namespace saccade
