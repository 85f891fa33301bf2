// `saccade overlay`: pictures of where a model attends at each word of its captions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/model_session.h"
#include "experiments/drawing_options.h"
#include "experiments/map_options.h"

namespace saccade {

struct OverlayArgs {
  ModelArgs model{};
  std::vector<std::string> images{};  // none: pictures of the model's data
  std::string split{};                // of the data; empty: test if there is one, else val
  std::optional<Index> count{};       // pictures of the data
  std::string out = "overlays";       // folder
  std::vector<std::string> with{};    // checkpoints of other models to draw beside the first
  DrawingArgs drawing{};
  bool alignment = false;        // the matrices too
  bool receptive_field = false;  // outline what a chosen cell could see
  bool json = false;
  MapArgs maps{};
};

// Writes the files of overlay_files.h for each picture, or with other models one sheet of them all,
// and prints their paths. Pictures that cannot be read are named on stderr and left out; the exit
// code says so.
int run_overlay(const OverlayArgs& args);

CommandRun bind_overlay(Options& options);

}  // namespace saccade
