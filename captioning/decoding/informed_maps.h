// Maps that know the word: those of a model's localizer, and of its informed attention
// (informed_attention.h). The model's attention was drawn to them or learned beside them, so they
// are the best that it can reach.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/model.h"

namespace saccade {

// Each function replaces the map of every word by its own. captions[i] belong to picture i.

// Shows the maps of the localizer, which the model must have. A word that the vocabulary lacks, or
// that was put together from pieces, gets a uniform map.
void show_localizer_maps(const CaptionModel& model, const InputView& input,
                         std::vector<std::vector<DecodedCaption>>& captions);

// Shows the maps of one kind of informed attention, which the model must have, while the decoder is
// forced to the words and takes the expectation at every glimpse. The vocabulary must be one of
// whole words.
void show_informed_maps(const CaptionModel& model, InformedKind kind, const InputView& input,
                        std::vector<std::vector<DecodedCaption>>& captions);

}  // namespace saccade
