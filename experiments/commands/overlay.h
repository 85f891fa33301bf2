// `saccade overlay`: pictures of where a model looked for each word it said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/model_session.h"
#include "experiments/map_options.h"

namespace saccade {

struct OverlayArgs {
  ModelArgs model{};
  std::vector<std::string> images{};  // none: pictures of the model's data
  std::string split{};                // of the data; empty: test if there is one, else val
  std::optional<Index> count{};       // pictures of the data
  std::string out = "overlays";       // folder
  std::string style = "smooth", scale = "shared", colours = "inferno";
  double full_heat = 1;    // with scale fixed
  bool alignment = false;  // the matrices too
  MapArgs maps{};
};

// Writes NAME.sheet.png, NAME/WW-word.png and NAME.json for each picture, with alignment
// NAME.alignment.png and .svg and the maps of layers and heads too, with class-token maps
// NAME.class-token.sheet.png (overlay_files.h), and prints their paths.
// Pictures that cannot be read are named on stderr and left out; the exit code says so.
int run_overlay(const OverlayArgs& args);

CommandRun bind_overlay(Options& options);

}  // namespace saccade
