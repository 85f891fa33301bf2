// The caption of a picture as lines for a terminal.
#pragma once

#include <string>

#include "captioning/model/maps/caption_record.h"

namespace saccade {

// "path: caption"; with alternatives a line per caption, the best first, and of a caption that was
// given the probability of each word.
std::string caption_lines(const std::string& path, const DecodedCaption& caption,
                          const CaptionSource& source);

}  // namespace saccade
