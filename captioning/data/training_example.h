// An image with its captions, as a program hands it over for training.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vision/images/image.h"

namespace saccade {

// One image of a data set in memory.
struct TrainingExample {
  Image picture;                      // of any size
  std::vector<std::string> captions;  // at least one
  bool validation = false;            // whether it is for validation, and not for training
};

// Gives the next example each time it is called, and nothing at the end.
using TrainingExamples = std::function<std::optional<TrainingExample>()>;

}  // namespace saccade
