// The options by which a person chooses how maps are drawn and as which files.
#pragma once

#include <optional>
#include <string>

#include "experiments/options.h"
#include "experiments/view_overlays.h"

namespace saccade {

// Empty: not given.
struct DrawingArgs {
  std::string format{}, style{}, measure{}, scale{}, colours{}, shares{}, font{};
  std::optional<double> full_heat{}, seconds_per_word{};
};

// Declares --format, --style, --measure, --scale, --full-heat, --colours, --shares, --font and
// --seconds-per-word.
void add_drawing_options(Options& options, DrawingArgs& args);

// Whether matrices, which have colours and a scale in every style, are drawn too.
enum class Matrices { kNo, kYes };

struct Drawing {
  PictureFormat format = PictureFormat::kPng;
  OverlayOptions options{};
  MapMeasure measure = MapMeasure::kWeight;
};

// Throws UsageError, with the reason, for what means nothing or has no effect.
Drawing drawing_of(const DrawingArgs& args, Matrices matrices);

}  // namespace saccade
