// Names and counts in messages, so that a message stays one readable line however many names there
// are.
#pragma once

#include <span>
#include <string>

#include "core/base/real.h"

namespace saccade {

// "1 image", "0 images". `plural` is given where it is not the noun with an s.
std::string counted(Index count, const std::string& noun, const std::string& plural = "");

// The size of data, "12 MB", "5.4 GB"; MB and GB are powers of ten.
std::string data_size(double bytes);

// "a.jpg, b.jpg, c.jpg and 66 more": the first three names.
std::string first_names(std::span<const std::string> names);

}  // namespace saccade
