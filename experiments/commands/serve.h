// `saccade serve`: serves a page on which photos are captioned and their attention maps are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/serve/live_captions.h"

namespace saccade {

struct ServeArgs {
  std::vector<std::string> checkpoints{};  // files, run directories or comparisons, side by side
  std::string host = "127.0.0.1";
  Index port = 8080;      // 0: any port that is free
  Index max_upload = 16;  // MiB
  Index waiting = 8;      // pictures that may wait
  Index per_client = 4;   // of one address
  std::string token{};    // a file
  Index timeout = 30;     // seconds
  Index occlusion_steps = kOcclusionSteps;
  std::vector<std::string> set{};  // `search.beam=5`
  std::optional<Index> beam{};
  bool json = false;
};

// Prints the address of the page and serves it until a signal comes, whose exit code is returned.
int run_serve(const ServeArgs& args);

}  // namespace saccade
