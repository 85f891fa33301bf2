// The two stages of a run, cross-entropy and then self-critical, in updates and epochs: a function
// of the config and of how many batches an epoch of each has, so a resumed run needs to keep
// nothing.
#pragma once

#include "core/config/experiment_config.h"
#include "core/optim/schedule.h"

namespace saccade {

class Stages {
 public:
  // Batches of an epoch of each stage. Throws UsageError when the second starts after a time, and
  // what Schedule throws.
  Stages(const ExperimentConfig& config, Index cross_entropy, Index self_critical);

  // The first update of the second stage; beyond all counting if there is none. The epoch that is
  // running then ends there.
  Index switch_update() const { return switch_; }
  bool self_critical(Index update) const { return update >= switch_; }
  // Batches of an epoch of the stage of an update (0 is the first).
  Index batches(Index update) const {
    return self_critical(update) ? self_critical_ : cross_entropy_;
  }
  // Updates until so much training is done; epochs of both stages count. Not for units of time.
  Index updates(const Stop& stop) const;
  // The learning rate of an update: the optimizer's schedule over the first stage (the whole run if
  // it has one stage), then the second stage's own: objective.self_critical.lr, or half a cosine
  // from there to final_lr.
  double rate(Index update) const;

 private:
  Schedule second_stage(const ExperimentConfig& config, Index last) const;

  Index cross_entropy_, self_critical_, switch_;
  // Of the first stage and of the second, if they exist; each counts its own updates.
  std::optional<Schedule> first_, second_;
};

}  // namespace saccade
