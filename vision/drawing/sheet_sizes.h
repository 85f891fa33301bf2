// The sizes of what a sheet of panels consists of. Internal to vision/drawing.
#pragma once

#include "core/base/real.h"
#include "vision/drawing/overlay_options.h"

namespace saccade {

// In pixels.
struct SheetSizes {
  Index slot = 0;  // width from one panel to the next, without the gap
  Index columns = 1;
  Index word_size = 0, small_size = 0, caption_size = 0;
  Index margin = 0, gap = 0, label = 0;
  Index page_width = 0;
};

// Labels need room even over narrow panels: for so many letters.
inline constexpr Index kLabelLetters = 7;

// The sizes that follow from that of the letters of words.
SheetSizes sizes_of_letters(Index word_size);

// All sizes of a sheet that is OverlayOptions::paper_width wide: with the letters of a paper, which
// are smaller where panels are narrow. Throws UsageError where the panels of so many columns are
// too narrow for their labels.
SheetSizes paper_sizes(const OverlayOptions& options, Index panels);

}  // namespace saccade
