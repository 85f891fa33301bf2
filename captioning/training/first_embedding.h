// The decoder's embedding of words at the start of a run, where it is not random.
#pragma once

#include <string>

#include "captioning/model.h"
#include "captioning/training/training_set.h"

namespace saccade {

// Gives the words that config.decoder.embeddings has vectors for those vectors; the others keep
// their random ones. Says how many there were, "" for a random embedding. Throws as
// read_word_vectors does, UsageError where no file is named.
std::string start_embedding(const ExperimentConfig& config, const TrainingSet& set,
                            Captioner& model);

}  // namespace saccade
