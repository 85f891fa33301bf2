#include "captioning/learning/training/box_targets.h"

#include "captioning/study/grounding/configured_boxes.h"
#include "core/base/error.h"

namespace saccade {

BoxTargets::BoxTargets(const ExperimentConfig& config, const RunData& data, const TrainingSet& set,
                       const GridSize& grid, const MessageListener& listener) {
  if (config.supervision.boxes == 0) return;
  const LoadedData& loaded = data.loaded();
  NounSource source{.scenes = loaded.scenes ? &*loaded.scenes : nullptr, .photos = nullptr};
  if (!loaded.scenes) {
    photos_ = needed_boxes(config.data, loaded, images_of(loaded.dataset, Split::kTrain));
    if (!photos_)
      throw UsageError(
          str("objective.supervision.boxes needs boxes of the training photos; name their file in ",
              loaded.sets.empty() ? "data.boxes" : "data.sets.NAME.boxes of a data set",
              ", or set objective.supervision.boxes to 0"));
    source.photos = photos_.get();
  }
  targets_.emplace(set, data.inputs(), source, grid);
  inform(listener,
         str("attention is supervised with the boxes of ", targets_->nouns(), " nouns of ",
             targets_->images(), " training images (", source.description(), ")"));
}

}  // namespace saccade
