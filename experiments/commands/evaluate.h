// `saccade evaluate`: scores the captions that a checkpoint's model writes by itself.
#pragma once

#include <optional>
#include <string>

#include "experiments/commands/model_session.h"

namespace saccade {

struct EvaluateArgs {
  ModelArgs model{};
  std::string split{};     // a split, or all; empty: see evaluated_split() in evaluate.cpp
  Index images = 0;        // the number of images, from the first on; 0 for all
  Index region_draws = 3;  // how often the regime sample captions all images
  Index samples = 0;       // captions drawn per image to measure diversity; 0 for none
  bool baselines = false;
  bool no_ablations = false;
  bool json = false;
  std::string boxes{};        // COCO instances JSON or folder of Flickr30k Entities; empty for none
  std::string out{};          // COCO results file; empty for none
  std::string paraphrases{};  // METEOR's table, or none; empty: the one that is found
  std::string plots{};        // folder for the charts of groups of images; empty for none
};

int run_evaluate(const EvaluateArgs& args);

}  // namespace saccade
