// The maps of a model's localizer, which knows the word. The model's attention was drawn to them,
// so they are the best that it can reach.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/model.h"

namespace saccade {

// Replaces the map of every word by that of the localizer, which the model must have. captions[i]
// belong to picture i. A word that the vocabulary lacks, or that was put together from pieces, gets
// a uniform map.
void show_localizer_maps(const CaptionModel& model, const InputView& input,
                         std::vector<std::vector<DecodedCaption>>& captions);

}  // namespace saccade
