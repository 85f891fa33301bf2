// The attention targets of training: the boxes of a caption's nouns, as shares of the regions.
#pragma once

#include <vector>

#include "captioning/learning/training/training_set.h"
#include "captioning/study/evaluation/ground_captions.h"

namespace saccade {

class AttentionTargets {
 public:
  // Finds the nouns of all training captions and their boxes.
  // What is passed by reference must outlive this. Throws UsageError where `source` knows none of
  // the training images.
  AttentionTargets(const TrainingSet& set, const DatasetInputs& inputs, const NounSource& source,
                   const GridSize& grid);

  // Sets shard.targets for the captions of `items`, in order. Where a noun is cut into pieces, each
  // of them has a target, because the noun's map is the mean of theirs (whole_words.h).
  void add(std::span<const PlanItem> items, TrainShard& shard) const;

  Index nouns() const { return nouns_; }    // in all training captions
  Index images() const { return images_; }  // training images with boxes

 private:
  struct Noun {
    TrainingSet::Places places;  // of the entries that are supervised
    std::vector<Rect> boxes;     // in pixels of the picture
  };
  const DatasetInputs* inputs_;
  GridSize grid_;
  std::vector<std::vector<std::vector<Noun>>> nouns_of_;  // [image][caption]
  Index nouns_ = 0, images_ = 0;
};

}  // namespace saccade
