// Maps that know the word: those of a model's localizer, and of its informed attention
// (informed_attention.h). The model's attention was drawn to them or learned beside them, so that
// they are the most that it can reach.
#pragma once

#include <span>
#include <vector>

#include "captioning/model.h"

namespace saccade {

// Each function puts its map of every word in the place of the map that the word has. captions[i]
// are those of picture i.

// Shows the localizer's maps, which the model must have. A word that the vocabulary lacks, or that
// was put together from pieces, gets a uniform map.
void show_localizer_maps(const Captioner& model, const InputView& input,
                         std::vector<std::vector<DecodedCaption>>& captions);

// Shows the maps of informed attention of a kind that the model must have, while the decoder is
// forced to the words and takes the expectation at every glimpse. Its vocabulary is one of whole
// words.
void show_informed_maps(const Captioner& model, InformedKind kind, const InputView& input,
                        std::vector<std::vector<DecodedCaption>>& captions);

}  // namespace saccade
