// The attention targets of training: the boxes of a caption's nouns, as shares of the regions.
#pragma once

#include <vector>

#include "captioning/evaluation/ground_captions.h"
#include "captioning/training/training_set.h"

namespace saccade {

class AttentionTargets {
 public:
  // Finds the nouns of all training captions and their boxes. All arguments must outlive this.
  // Throws UsageError where `source` knows none of the training images.
  AttentionTargets(const TrainingSet& set, const DatasetInputs& inputs, const NounSource& source,
                   const GridShape& grid);

  // Sets shard.targets for the captions of `items`, in order.
  void add(std::span<const PlanItem> items, TrainShard& shard) const;

  Index nouns() const { return nouns_; }    // in all training captions
  Index images() const { return images_; }  // training images with boxes

 private:
  struct Noun {
    Index word = 0;          // its place among the entries of the vocabulary in the caption
    std::vector<Box> boxes;  // in pixels of the picture
  };
  const DatasetInputs* inputs_;
  GridShape grid_;
  std::vector<std::vector<std::vector<Noun>>> nouns_of_;  // [image][caption]
  Index nouns_ = 0, images_ = 0;
};

}  // namespace saccade
