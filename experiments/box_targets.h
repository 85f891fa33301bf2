// The boxes that supervise a training run's attention (objective.supervision.boxes).
#pragma once

#include <memory>
#include <optional>

#include "captioning/grounding/noun_boxes.h"
#include "captioning/training/attention_targets.h"
#include "experiments/training_run.h"

namespace saccade {

// Those of scenes, or those that data.boxes has of the training photos; nothing where the config
// asks for none. Everything must outlive this.
class BoxTargets {
 public:
  // Throws UsageError where there are no boxes, and what read_photo_boxes throws.
  BoxTargets(const ExperimentConfig& config, const RunData& data, const TrainingSet& set,
             const GridShape& grid);

  const AttentionTargets* get() const { return targets_ ? &*targets_ : nullptr; }

 private:
  std::unique_ptr<PhotoBoxes> photos_;
  std::optional<AttentionTargets> targets_;
};

}  // namespace saccade
