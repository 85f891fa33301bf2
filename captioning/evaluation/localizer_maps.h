// The maps of a model's localizer: where it finds the words of captions, which it is told. They are
// what the model's attention was drawn to, and so what it can reach at most.
#pragma once

#include <span>
#include <vector>

#include "captioning/model.h"

namespace saccade {

// Puts the localizer's map of every word in the place of the map it has. captions[i] are those of
// picture i; a word that the vocabulary lacks, or that was put together from pieces, gets a uniform
// map. The model must have a localizer.
void show_localizer_maps(const Captioner& model, const InputView& input,
                         std::vector<std::vector<DecodedCaption>>& captions);

}  // namespace saccade
