// Checkpoints for captioning alone: config, vocabulary and weights in 16 bits, with the network of
// a frozen encoder, so that captions need no other file. They hold neither optimizer nor state, and
// nothing that only supervises attention in training.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "captioning/learning/config/experiment_config.h"
#include "core/base/messages.h"
#include "core/io/archive.h"

namespace saccade {

struct StoredNetwork;  // vision/encoders/stored_network.h

// The archive of the model of a checkpoint file; where its weights were averaged, of the averages.
// `overrides` first change its config (`encoder.model=/new/place.onnx`). Vectors keep 32 bits
// (keeps_32_bits() in core/io/half.h).
// `classifier` is an ONNX file of the frozen encoder's network, from which its classifier is taken
// where the checkpoint lacks it, as one of captioning alone does ("": none). It throws DataError
// where that is another network, or has no classifier behind the last layer.
// Throws CheckpointError, which names the array, where a weight is not finite or too large for 16
// bits; what load_model() and pipeline_of() throw.
Archive half_checkpoint(const std::filesystem::path& checkpoint,
                        std::span<const std::string> overrides = {},
                        const MessageListener& listener = {}, const std::string& classifier = "");

// What load_model() (checkpoint_content.h) reads of such an archive. The entry that marks one:
inline constexpr const char* kWeightsOnly = "weights_only";
// The network of the frozen encoder; null where the archive has none.
std::shared_ptr<const StoredNetwork> read_network(const Archive& archive);
// Adds such a network to the archive of a run that was started with it.
void add_network(Archive& archive, const StoredNetwork& network);
// The digest of the encoder that is made of that network; "" where the archive has none.
std::string network_digest(const Archive& archive);
// Takes what only supervises attention out of what a model is made of.
void leave_supervision(ExperimentConfig& config);

}  // namespace saccade
