// Which words the captions of training images have, as a localizer learns them.
#pragma once

#include <vector>

#include "captioning/training/training_set.h"

namespace saccade {

// Sets the labels of the batch's shards. Their words are those that the captions of any image of
// the batch have (not <unk>), so that every image is told apart from the others.
void add_word_labels(const TrainingSet& set, TrainBatch& batch);

// Of every word of the vocabulary the share of the training images whose captions have it [V].
std::vector<double> word_shares(const TrainingSet& set, Index vocabulary);

}  // namespace saccade
