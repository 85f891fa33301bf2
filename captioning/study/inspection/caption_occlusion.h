// Occlusion of a decoded caption: gives its words the effects of all regions (occlusion.h).
#pragma once

#include "captioning/model/maps/decoded_caption.h"
#include "captioning/model/search/search.h"
#include "core/tensor/tensor.h"

namespace saccade {

class CaptionModel;
struct InputView;

// Fills DecodedWord::effects of the words of a caption that the model decoded from `input`, a
// single picture, with these options. The picture is encoded once more. The effect on a word that
// consists of pieces is the sum over its pieces. Alternatives get none. Throws what
// region_effects() throws.
void add_effects(const CaptionModel& model, const AttentionConfig& attention,
                 const InputView& input, const SearchOptions& options, DecodedCaption& caption);
// The same for a picture that is encoded already.
void add_effects(const SearchMember& member, const AttentionConfig& attention,
                 const SearchOptions& options, DecodedCaption& caption);

// The ids that the words of a caption were decoded as, in order: those of their pieces, where words
// were put together from pieces.
std::vector<int> caption_ids(const DecodedCaption& caption);
// Gives the words of a caption the effects [ids, L] on their ids, summed over the pieces of a word.
void set_effects(DecodedCaption& caption, const Tensor& effects);

// How many decoding steps that takes: one for each id of the caption and each of `regions`.
Index occlusion_steps(const DecodedCaption& caption, Index regions);

}  // namespace saccade
