// Raw captions of images, as the n-gram metrics count them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/metrics/ngrams.h"

namespace saccade {

// The n-grams of the PTB words of every caption of every image. All captions are tokenized as one
// file, in this order, as in score_captions. Captions that are to be compared share `numbers`.
std::vector<std::vector<CountedCaption>> count_texts(
    std::span<const std::vector<std::string>> captions, WordNumbers& numbers);

}  // namespace saccade
