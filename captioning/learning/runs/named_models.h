// Trained models that are known by a name: NAME.h5 in one of several folders, with its model card
// NAME.md beside it (captioning/pretrained/README.md).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/messages.h"

namespace saccade {

struct NamedModel {
  std::string name;
  std::filesystem::path file;
  std::filesystem::path card;                   // "" where there is none
  std::vector<std::filesystem::path> hidden{};  // other models of this name, in later folders
};

// The folders of models that belong to the running program or library, which are found from its own
// place: share/saccade/models of its installation, then captioning/pretrained of its source tree.
std::vector<std::filesystem::path> own_model_folders();

// All models, sorted by name. Of those with one name, the one in the first folder counts. Folders
// that do not exist count as empty. Copies of the same file hide nothing.
std::vector<NamedModel> named_models(std::span<const std::filesystem::path> folders);

// Whether a text may be the name of a model: letters, digits and `_.-`, but not the name of a file
// of weights (.h5, .safetensors).
bool may_name_model(const std::string& text);

// The checkpoint file that a text stands for: a path that exists (resolve_checkpoint() in
// run_directory.h), or else the name of a model in these folders, or else in those of
// own_model_folders(). The listener receives a message where a path hides a model, or a model
// another one of its name. Throws CheckpointError where there is neither, which lists the models.
std::filesystem::path find_checkpoint(const std::string& given,
                                      std::span<const std::filesystem::path> folders,
                                      const MessageListener& listener = {});

}  // namespace saccade
