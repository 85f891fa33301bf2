// The boxes that supervise a training run's attention (objective.supervision.boxes).
#pragma once

#include <memory>
#include <optional>

#include "captioning/learning/training/attention_targets.h"
#include "captioning/learning/training/run_data.h"
#include "captioning/study/grounding/noun_boxes.h"

namespace saccade {

struct ExperimentConfig;

// The boxes of scenes, or those of the training photos that data.boxes names; none where the config
// asks for no supervision by boxes. All arguments must outlive this object.
class BoxTargets {
 public:
  // The listener receives the number of nouns that have boxes. Throws UsageError where the config
  // needs boxes and names none, and what read_photo_boxes throws.
  BoxTargets(const ExperimentConfig& config, const RunData& data, const TrainingSet& set,
             const GridSize& grid, const MessageListener& listener);

  const AttentionTargets* get() const { return targets_ ? &*targets_ : nullptr; }

 private:
  std::unique_ptr<PhotoBoxes> photos_;
  std::optional<AttentionTargets> targets_;
};

}  // namespace saccade
