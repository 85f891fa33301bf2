// Attention word by word in time. Internal to vision/overlay*.cpp.
#pragma once

#include <span>
#include <string>

#include "vision/overlay.h"

namespace saccade {

// An APNG file: a frame a word, the photo under its map and below it the caption in which the word
// is marked; several models beside each other, of which one that has said everything keeps its last
// word. Throws UsageError on a time outside its range, and as draw_sheet.
std::string film_file(std::span<const Overlay> overlays, const OverlayOptions& options);

}  // namespace saccade
