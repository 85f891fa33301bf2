// First weights of a new run that are not random: pretrained weights for the encoder, word vectors
// for the embedding with which the decoder reads words, and those of another run.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/learning/runs/run_observer.h"
#include "captioning/learning/training/training_set.h"
#include "captioning/model/model.h"
#include "core/base/messages.h"

namespace saccade {

struct ExperimentConfig;

// Loads the file config.weights into the encoder of the model. With config.weights_strict, the
// arrays in the file have to be exactly those of the encoder. Otherwise parameters that the file
// lacks stay as they are and arrays that the encoder lacks are ignored; the listener is then warned
// of both. It is told of a prefix of names that was left out. Throws what load_torch_weights
// throws, and UsageError for an encoder without published weights.
void start_encoder(const EncoderConfig& config, CaptionModel& model,
                   const MessageListener& listener);

// Fills the embedding of the model's words with the vectors that config.decoder.embeddings chooses:
// those of a file, or some that are made from the training captions. Words without such a vector
// keep their random one. Says how many words have a vector, and warns where most have none; says
// nothing where the embedding is random. Throws what read_word_vectors throws, and UsageError where
// the config names no file.
void start_embedding(const ExperimentConfig& config, const TrainingSet& set, CaptionModel& model,
                     const MessageListener& listener = {});

// Whether the network of a frozen encoder comes from the checkpoint train.init_from, because the
// config names no file of it.
bool takes_network(const ExperimentConfig& config);
// Throws UsageError where data.vocabulary is published and the config names no captioner.
void require_origin_of_tokens(const ExperimentConfig& config);

// Sets what a run needs and its config does not hold, unless it is set: config.encoder.network
// where takes_network(), and config.tokens where data.vocabulary is published. They are those of
// the newest checkpoint of the run in this directory, if there is one (an empty path is none), so
// that a run goes on without what it was started from, and else those of train.init_from or
// decoder.weights, which find_checkpoint() finds in `models`. Throws CheckpointError where that
// checkpoint holds no network, UsageError where its tokens are not published ones, and what
// read_published() throws.
void take_first_parts(ExperimentConfig& config, const std::filesystem::path& run,
                      std::span<const std::filesystem::path> models,
                      const MessageListener& listener = {});

// Gives a new run the weights of the checkpoint or published captioner train.init_from, which
// find_checkpoint() finds in `models`, or its decoder those of decoder.weights, and says what is
// known to it. A run that fine-tunes its encoder may start from one whose encoder was the same
// network, frozen. None where the config names neither. Throws CheckpointError where there is none,
// UsageError where decoders are of different kinds, and what take_weights(), take_decoder() and
// load_model() throw.
std::optional<WeightsOrigin> take_first_weights(const ExperimentConfig& config, DataIdentity data,
                                                CaptionModel& model,
                                                std::span<const std::filesystem::path> models,
                                                const MessageListener& listener = {});

}  // namespace saccade
