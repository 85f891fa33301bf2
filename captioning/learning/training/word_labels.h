// Which words the captions of training images have, for a localizer to learn from.
#pragma once

#include <vector>

#include "captioning/learning/training/training_set.h"

namespace saccade {

// Sets the labels of the batch's shards. Their words are those in the captions of any image of the
// whole batch, which is planned so (without <unk>), so that every image is distinguished from the
// others.
void add_word_labels(const TrainingSet& set, const Batch& plan, TrainBatch& batch);

// For every word of the vocabulary, the share of training images whose captions have it [V].
std::vector<double> word_shares(const TrainingSet& set, Index vocabulary);

}  // namespace saccade
