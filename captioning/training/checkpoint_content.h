// What a checkpoint of saccade holds: the model with everything needed to caption an image, and
// the state from which training goes on.
#pragma once

#include <filesystem>
#include <memory>

#include "captioning/training/trainer.h"
#include "core/config/experiment_config.h"
#include "core/io/archive.h"

namespace saccade {

// What identifies the data a model was trained on, and the frozen encoder ("" for a trainable one)
// whose features it expects.
struct DataIdentity {
  std::string name, digest, encoder;
};

// The archive of a run: parameters, vocabulary, config, grid, optimizer moments, state. Parameters
// are the averages of the weights where the optimizer makes them, so that all who read a checkpoint
// get those; the weights themselves, from which training goes on, are then `optimizer/weights`.
// Borrows the model's and optimizer's numbers: save it before they change.
Archive checkpoint_archive(const ExperimentConfig& config, const Captioner& model,
                           const GridShape& frozen_grid, const DataIdentity& data,
                           const Optimizer& optimizer, const TrainingState& state);

// A model as a checkpoint has it. The checkpoint and an image are all a caption needs.
struct LoadedModel {
  ExperimentConfig config;
  DataIdentity data;
  std::unique_ptr<Captioner> model;
  TrainingState state;
  GridShape frozen_grid;
};

// Loads a model from a checkpoint file. `overrides` change its config first (`search.beam=5`);
// those of encoder, attention, decoder that change a shape are refused. Throws CheckpointError
// naming file, entry, expected and found; UsageError on a bad override.
LoadedModel load_model(const std::filesystem::path& path,
                       std::span<const std::string> overrides = {});

// What differs between the config of a run and that of its continuation and decides what an update
// does, a line each, "\n  path was old, is new"; "" when the run can go on.
std::string deciding_changes(const ExperimentConfig& before, const ExperimentConfig& now);

// Puts a run's parameters, optimizer moments and state back where it stopped. Throws
// CheckpointError that names everything which changed since: config values that decide the run
// (all but those that only say how long, how fast and how it is reported), data, vocabulary.
void restore_run(const Archive& archive, const ExperimentConfig& config, const DataIdentity& data,
                 Captioner& model, Trainer& trainer);

// Takes the weights of another run's checkpoint as a new run's first ones. Throws CheckpointError
// that names everything which does not fit: vocabulary, frozen encoder, parameters, their shapes.
void take_weights(const Archive& archive, const DataIdentity& data, Captioner& model);

}  // namespace saccade
