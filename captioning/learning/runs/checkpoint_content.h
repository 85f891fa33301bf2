// What a checkpoint of saccade holds: the model, with everything that captioning an image needs,
// and the state from which training goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/runs/word_rows.h"
#include "captioning/learning/training/trainer.h"
#include "captioning/model/open_model.h"
#include "core/config/config.h"
#include "core/io/archive.h"

namespace saccade {

// Identifies the data that a model was trained on, the frozen encoder whose features it expects (""
// for a trainable one), and the paraphrases of METEOR in its validations (Meteor::paraphrases()).
struct DataIdentity {
  std::string name, digest, encoder, paraphrases{};
};

// The archive of a run: parameters, vocabulary, config, grid, optimizer moments, state. Where the
// optimizer averages the weights, the parameters are the averages, so that everybody who reads a
// checkpoint gets these; the weights themselves, from which training goes on, are then
// `optimizer/weights`. A run that was started with the network of another checkpoint
// (config.encoder.network) passes it on. Borrows the numbers of model and optimizer, so save it
// before they change.
Archive checkpoint_archive(const ExperimentConfig& config, const CaptionModel& model,
                           const GridShape& frozen_grid, const DataIdentity& data,
                           const Optimizer& optimizer, const TrainingState& state);

// The config in a checkpoint, with overrides (`search.beam=5`). `added` are the choices that the
// program added to the config's own (null: none). `overrider` as in load_config(). Throws
// CheckpointError where the config of the file is not valid, and UsageError for a bad override.
ExperimentConfig stored_config(const Archive& archive,
                               std::shared_ptr<const AttentionRegistry> added,
                               std::span<const std::string> overrides = {},
                               const std::string& overrider = kCommandLine);

// Gives the config of a run that goes on the number of gradient groups that it began with: that of
// its checkpoint, and 1 where that is older than these groups. Returns whether the config had
// another.
bool keep_groups(const Archive& archive, ExperimentConfig& config);

// A model as a checkpoint has it, with what else the checkpoint says of it. A caption needs nothing
// but the checkpoint and an image. load_model() makes no pipeline and gives no name; open_model()
// (open_model.h) does.
struct LoadedModel : OpenModel {
  std::string source;  // the file
  ExperimentConfig config;
  DataIdentity data;
  TrainingState state;  // of weights alone: updates, epoch, time and the best scores
  GridShape frozen_grid;
  bool weights_only = false;  // half_checkpoint.h
  std::string published{};    // what captioner a hub's folder holds; empty for a checkpoint
};

// The version of what a checkpoint holds.
inline constexpr std::uint64_t kContentVersion = 1;

// Whether a checkpoint holds weights for captioning alone, from which no training can go on
// (half_checkpoint.h), and the updates that its training made.
bool is_weights_only(const Archive& archive);
Index updates_of(const Archive& archive);

// Loads a model from a checkpoint file, or from the folder of a published captioner
// (published_model.h). `overrides` first change its config (`search.beam=5`);
// those of encoder, attention and decoder that change a shape are refused. Throws CheckpointError
// that names file, entry, expected and found, and UsageError for a bad override. `added` are the
// choices that the program added to the config's own (null: none). `overrider` is what errors say
// that the overrides come from.
LoadedModel load_model(const std::filesystem::path& path,
                       std::span<const std::string> overrides = {},
                       std::shared_ptr<const AttentionRegistry> added = {},
                       const std::string& overrider = kCommandLine);

// Restores a run's parameters, optimizer moments and state where it stopped. Throws CheckpointError
// for weights alone, and one that names everything which changed since: config values that decide
// the run (all except those that only determine how long, how fast and how it is reported), data,
// vocabulary.
void restore_run(const Archive& archive, const ExperimentConfig& config, const DataIdentity& data,
                 CaptionModel& model, Trainer& trainer);

// Where the weights of the encoder come from when a run starts from another run's checkpoint: from
// the checkpoint, or they stay those that the model has, because the checkpoint's encoder was
// frozen and so is not part of it.
enum class EncoderWeights { kCheckpoint, kOwn };

// Takes the weights of another run's checkpoint as the first weights of a new run. `data.encoder`
// identifies the frozen encoder, whose network may be the one that the archive holds
// (half_checkpoint.h); with EncoderWeights::kOwn, the new run's encoder as it would be if it were
// frozen as the checkpoint's was. Where the vocabulary of the new run is another one of words, the
// weights of the words that both have go to their new places, and those of all others stay as the
// model has them; returns these words then. Throws CheckpointError that says what does not fit:
// frozen encoder, vocabulary of pieces, and up to three parameters. Parameters that only supervise
// may be missing on either side. `added` as in load_model.
std::optional<SharedWords> take_weights(const Archive& archive, const DataIdentity& data,
                                        CaptionModel& model, EncoderWeights encoder,
                                        std::shared_ptr<const AttentionRegistry> added = {});

}  // namespace saccade
