// Occlusion of a decoded caption: gives its words the effects of all regions (occlusion.h).
#pragma once

#include "captioning/maps/decoded_caption.h"
#include "captioning/search/search.h"

namespace saccade {

class CaptionModel;
struct InputView;

// Fills DecodedWord::effects of the words of a caption that the model decoded from `input`, a
// single picture, with these options. The picture is encoded once more. The effect on a word that
// consists of pieces is the sum over its pieces. Alternatives get none. Throws what
// region_effects() throws.
void add_effects(const CaptionModel& model, const AttentionConfig& attention,
                 const InputView& input, const SearchOptions& options, DecodedCaption& caption);

}  // namespace saccade
