// Tells of images that could not be read. Private to captioning.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "captioning/data/dataset.h"
#include "core/base/messages.h"

namespace saccade {

// Warns of the bad ones of the images that were to be read, in one line that counts them and names
// the first. Throws DataError where no image of the data set, or of one of its parts, is left.
// `problem_of` says why an image is bad.
void tell_bad_images(const Dataset& dataset, std::span<const Index> images,
                     std::span<const Index> bad,
                     const std::function<const std::string&(Index)>& problem_of,
                     const MessageListener& listener);

}  // namespace saccade
