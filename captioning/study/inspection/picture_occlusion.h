// Occlusion of the picture: what the words of a caption lose when the pixels of a cell are painted
// over before the encoder sees them. Unlike the occlusion of regions (occlusion.h), it also follows
// what the encoder carries from one place to another.
#pragma once

#include "captioning/model/inputs.h"
#include "captioning/model/maps/decoded_caption.h"
#include "captioning/model/search/search.h"

namespace saccade {

class CaptionModel;

// Fills DecodedWord::effects of the words of a caption that the model decoded from this picture:
// log p(word | the words before, the picture) minus the same with the cell painted in the mean
// colour of the picture. The picture is encoded once for each cell. Cells of padding have 0. Of the
// options, the regime and the seed are read. Throws UsageError in the regime sample, as
// region_effects() does, and for a model of texts.
void add_picture_effects(const CaptionModel& model, const InputPipeline& pipeline,
                         const Image& picture, const SearchOptions& options,
                         DecodedCaption& caption);

}  // namespace saccade
