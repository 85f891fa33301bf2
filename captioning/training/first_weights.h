// What a run starts from where it does not start from random numbers: pretrained weights of the
// encoder, vectors of the decoder's words.
#pragma once

#include <string>

#include "captioning/model.h"
#include "captioning/training/training_set.h"

namespace saccade {

struct ExperimentConfig;

// Gives the model's encoder the weights of config.weights. Returns what that left out (nothing
// where config.weights_strict is set); "" if there was nothing. Throws what load_torch_weights
// throws, and UsageError where nobody publishes weights of the encoder.
std::string start_encoder(const EncoderConfig& config, CaptionModel& model);

// Gives the words that config.decoder.embeddings has vectors for those vectors; the others keep
// their random ones. Returns a sentence with their number, "" for a random embedding. Throws as
// read_word_vectors does, UsageError where no file is named.
std::string start_embedding(const ExperimentConfig& config, const TrainingSet& set,
                            CaptionModel& model);

}  // namespace saccade
