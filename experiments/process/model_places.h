// Where the program finds models by their names: --models, SACCADE_MODELS, and the folders that
// belong to the program itself (captioning/learning/runs/named_models.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

// Takes the folder of --models and the value of SACCADE_MODELS, folders with ':' between them; both
// may be "". Throws DataError where the folder of --models does not exist.
void set_model_places(const std::string& option, const std::string& environment);

// The folders that were given, in the order in which they are searched.
const std::vector<std::filesystem::path>& given_model_folders();
// These and, behind them, those of the program itself.
std::vector<std::filesystem::path> all_model_folders();
// The options that give another process of the program the same folders, as it inherits the
// environment.
std::vector<std::string> model_place_options();

// The checkpoint file that a word of the command line stands for: a file, the directory of a run,
// or the name of a model. Says once where a path hides a model. Throws CheckpointError.
std::filesystem::path checkpoint_of(const std::string& given);

}  // namespace saccade
