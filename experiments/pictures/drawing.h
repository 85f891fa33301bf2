// What of an attention picture is drawn, how, and into which kind of file.
#pragma once

#include <string>
#include <vector>

#include "core/attention/map.h"
#include "vision/drawing/overlay_options.h"
#include "vision/drawing/picture_format.h"

namespace saccade {

// Whether alignment matrices are drawn too. They have colours and a scale in every style.
enum class Matrices { kNo, kYes };

struct Drawing {
  PictureFormat format = PictureFormat::kPng;
  OverlayOptions options{};
  MapMeasure measure = MapMeasure::kWeight;
  bool panels = true;                // whether there is a file for each word, too
  std::vector<std::string> words{};  // the words whose maps are drawn; empty: all
};

}  // namespace saccade
