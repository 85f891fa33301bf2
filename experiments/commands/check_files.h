// Checks that the files and folders which a config names exist.
#pragma once

#include <string>
#include <vector>

#include "captioning/data/load_data.h"
#include "core/base/enum_names.h"
#include "core/config/traits.h"
#include "experiments/compare/arms.h"

namespace saccade {

enum class FileState { kThere, kMissing, kUnusable, kNotGiven };
constexpr auto enum_table(FileState) {
  using enum FileState;
  return enum_rows<FileState>({
      {kThere, "there", "the file or folder exists"},
      {kMissing, "missing", "it does not exist"},
      {kUnusable, "unusable", "it exists and is not what the config needs"},
      {kNotGiven, "not given", "a choice of the config needs it, and the config does not name it"},
  });
}

// A file or folder that a config names or needs.
struct CheckedFile {
  NamedFile file;
  FileState state = FileState::kThere;
  // What is wrong with it, one line: the key, the path and, for what is missing, where to get it;
  // empty if it is there.
  std::string problem;
  // What was found in it by check_contents(): "boxes of 471 images"; may be empty.
  std::string contents{};
};

// "14 x 14 regions of 512 features", "up to 36 regions of 2048 features in a photo", or frames.
std::string grid_text(const GridShape& grid);

// All that are read under the choices of the config, in the order of its keys. Those that are not
// given are among them where the config needs them.
std::vector<CheckedFile> checked_files(const ExperimentConfig& config);

// Opens those of the files that are there and that the captions do not need: boxes, word vectors,
// and the network of a frozen encoder. Says of each what it has, or that it is unusable. Boxes are
// those of `data`, and word vectors of its training captions.
void check_contents(const ExperimentConfig& config, const LoadedData& data,
                    std::vector<CheckedFile>& files);

// Throws an Error, with one line for each path, where a path of any arm is given and does not
// exist: with the exit code of data, or of checkpoints where train.init_from comes first. Warns of
// paths that are needed and not given: a command line may still give them.
void check_files(const std::vector<Arm>& arms);

// What training would refuse once it has read its files: opens the captions, the boxes, the word
// vectors, the network and the checkpoint of the first weights of every arm whose files are all
// there, and checks that the arm's values fit them. Photos are not looked at. Throws an Error with
// one line per mistake, which begins with the name of the arm where there are several, and with
// training's exit code for the first of them that is more than a value in the config.
void check_with_files(const std::vector<Arm>& arms);

}  // namespace saccade
