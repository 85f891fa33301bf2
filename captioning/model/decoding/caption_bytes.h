// Decoded captions as bytes, to be told to other ranks of the same program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/model/maps/decoded_caption.h"

namespace saccade {

std::string bytes_of(std::span<const DecodedCaption> captions);
// What bytes_of() was given.
std::vector<DecodedCaption> captions_of(std::string_view bytes);

}  // namespace saccade
