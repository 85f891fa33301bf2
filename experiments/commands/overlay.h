// `saccade overlay`: draws where a model attends at each word of its caption.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/model_session.h"
#include "experiments/options/drawing_options.h"
#include "experiments/options/map_options.h"

namespace saccade {

struct OverlayArgs {
  ModelArgs model{};
  std::vector<std::string> images{};  // picture files; empty: images of the model's data
  std::string split{};                // of the data; empty: test if there is one, else val
  std::optional<Index> count{};       // number of images of the data
  std::string out = "overlays";       // folder
  std::optional<std::string> say{};   // a caption of one's own, instead of a searched one
  std::vector<std::string> with{};    // checkpoints of other models to draw below the first
  DrawingArgs drawing{};
  bool alignment = false;        // also draw the alignment matrices
  bool receptive_field = false;  // outline the part of the photo that a chosen cell could see
  bool json = false;
  MapArgs maps{};
};

// Writes the files of overlay_files.h for each picture or, with other models, one sheet with all
// models, and prints the paths. Pictures that cannot be read are named on stderr and left out, and
// the exit code is that of bad data.
int run_overlay(const OverlayArgs& args);

}  // namespace saccade
