// The options that choose how maps are drawn and in which file format.
#pragma once

#include <optional>
#include <string>

#include "experiments/options/options.h"
#include "experiments/pictures/drawing.h"

namespace saccade {

// The options as they were given; one that was not given is empty.
struct DrawingArgs {
  std::string format{}, style{}, measure{}, scale{}, colours{}, font{}, width{}, words{};
  std::optional<double> full_heat{};
  std::optional<Index> panels{}, columns{};
  bool no_title = false;
};

// Declares --format, --style, --measure, --scale, --full-heat, --colours, --font, --panels,
// --width, --columns, --words and --no-title.
void add_drawing_options(Options& options, DrawingArgs& args);

// Throws UsageError, with the reason, for an unknown value and for an option without effect.
Drawing drawing_of(const DrawingArgs& args, Matrices matrices);

}  // namespace saccade
