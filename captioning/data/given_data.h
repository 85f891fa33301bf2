// Images and captions that a program hands over, kept as a data set of the type `folder`.
#pragma once

#include <filesystem>

#include "captioning/data/training_example.h"

namespace saccade {

// Writes all examples into the folder, which is made: PNG files and metadata.jsonl. A folder that
// exists must hold the same, and stays. Throws DataError that counts the examples from 0 where one
// is not valid or not the same, and where there is none; IoError; and what `next` throws. The
// folder is then as it was.
void keep_examples(const TrainingExamples& next, const std::filesystem::path& folder);

}  // namespace saccade
