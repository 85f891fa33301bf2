// Where training stopped, as a checkpoint has it. A file of unknown origin may be whole and lie:
// what is read here is checked, so that nothing which follows has to doubt it.
#pragma once

#include "captioning/learning/training/trainer.h"
#include "core/io/archive.h"

namespace saccade {

// Adds the state of a run to its archive.
void add_state(Archive& archive, const TrainingState& state);

// Reads it. Throws CheckpointError, which names file, entry and number, where counters are negative
// or beyond kMostUpdates, numbers are not finite, or one contradicts another, such as a validation
// after the last update.
TrainingState read_state(const Archive& archive);

// The most updates that a run can have made. No run reaches them, and sums and products of counters
// below stay far from what 64 bits hold.
inline constexpr Index kMostUpdates = 1'000'000'000'000;

// Of a checkpoint for captioning alone (half_checkpoint.h): the updates, the time and the best
// scores of its training.
void add_trained(Archive& archive, const TrainingState& state);
// Reads them; the rest of the state is empty. Throws CheckpointError as read_state() does.
TrainingState read_trained(const Archive& archive);

}  // namespace saccade
