// An animation of attention maps, which shows one word after the other. Internal to
// vision/drawing/overlay*.cpp.
#pragma once

#include <span>
#include <string>

#include "vision/drawing/overlay.h"

namespace saccade {

// Returns an APNG file with one frame per word: the photo under the word's map, and below it the
// caption in which the word is marked. Several models stand side by side; one whose caption has
// ended keeps its last word. Throws UsageError on a time outside its range, and otherwise as
// draw_sheet does.
std::string animation_file(std::span<const Overlay> overlays, const OverlayOptions& options);

}  // namespace saccade
