// The maps of looks that are told the word: of a model's localizer, and of the looks that know the
// word (informed_look.h). They are what the model's attention was drawn to, or learned beside, and
// so what it can reach at most.
#pragma once

#include <span>
#include <vector>

#include "captioning/model.h"

namespace saccade {

// Each puts its map of every word in the place of the map the word has. captions[i] are those of
// picture i.

// A word that the vocabulary lacks, or that was put together from pieces, gets a uniform map. The
// model must have a localizer.
void show_localizer_maps(const Captioner& model, const InputView& input,
                         std::vector<std::vector<DecodedCaption>>& captions);

// The decoder says the words meanwhile, whatever it would have said, and takes the expectation of
// every look. The model must have such a look; its vocabulary is one of whole words.
void show_informed_maps(const Captioner& model, InformedKind kind, const InputView& input,
                        std::vector<std::vector<DecodedCaption>>& captions);

}  // namespace saccade
