// What a run starts from where it is not random: pretrained weights of the encoder, vectors of the
// decoder's words.
#pragma once

#include <string>

#include "captioning/model.h"
#include "captioning/training/training_set.h"

namespace saccade {

// Gives the encoder the weights of a safetensors file. Throws DataError that lists all that does
// not fit, UsageError where nobody publishes weights of it.
void start_encoder(const std::string& file, Captioner& model);

// Gives the words that config.decoder.embeddings has vectors for those vectors; the others keep
// their random ones. Says how many there were, "" for a random embedding. Throws as
// read_word_vectors does, UsageError where no file is named.
std::string start_embedding(const ExperimentConfig& config, const TrainingSet& set,
                            Captioner& model);

}  // namespace saccade
