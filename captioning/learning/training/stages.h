// The two stages of a run, cross-entropy and then self-critical, in updates and epochs. They are a
// function of the config and of the number of batches per epoch of each stage, so a resumed run
// needs to store nothing.
#pragma once

#include <optional>
#include <span>

#include "captioning/data/batch_plan.h"
#include "core/config/stop.h"
#include "core/optim/schedule.h"

namespace saccade {

struct ExperimentConfig;
struct SelfCriticalConfig;

class Stages {
 public:
  // Takes the number of batches per epoch of each stage. Throws UsageError when the second stage
  // starts after a time, and what Schedule throws.
  Stages(const ExperimentConfig& config, Index cross_entropy, Index self_critical);

  // The first update of the second stage, or a number that no run reaches if there is none. The
  // epoch that is running ends there.
  Index switch_update() const { return switch_; }
  bool self_critical(Index update) const { return update >= switch_; }
  // The batches per epoch in the stage of an update (0 is the first update).
  Index batches(Index update) const {
    return self_critical(update) ? self_critical_ : cross_entropy_;
  }
  // The number of updates until `stop`, counting the epochs of both stages. Not for units of time.
  Index updates(const Stop& stop) const;
  // The learning rate of an update. In the first stage (the whole run, if it has one stage) it
  // follows the optimizer's schedule. The second stage has its own: objective.self_critical.lr, or
  // half a cosine from there to final_lr.
  double rate(Index update) const;

 private:
  Schedule second_stage(const SelfCriticalConfig& own, Index last) const;

  Index cross_entropy_, self_critical_, switch_;
  // The schedules of the first and the second stage, if they exist. Each counts its own updates.
  std::optional<Schedule> first_, second_;
};

// How an epoch of a stage is cut into batches: of captions, or of images with drawn captions.
BatchPlanOptions batch_plan(const ExperimentConfig& config, std::span<const PlanShare> shares,
                            bool self_critical);

// The stages of a run that trains on these captions. Throws what the constructor throws.
Stages stages_of(const ExperimentConfig& config, std::span<const PlanItem> items,
                 std::span<const PlanShare> shares = {});

}  // namespace saccade
