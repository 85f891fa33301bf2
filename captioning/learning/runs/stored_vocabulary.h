// The vocabulary of a model, as a checkpoint has it.
#pragma once

#include "captioning/model/vocabulary/vocabulary.h"
#include "core/io/archive.h"

namespace saccade {

// Adds a vocabulary to a checkpoint, whose model has these tokens.
void add_vocabulary(Archive& archive, const Vocabulary& vocabulary);

// Reads it. Throws CheckpointError where it is none.
Vocabulary read_vocabulary(const Archive& archive);

}  // namespace saccade
