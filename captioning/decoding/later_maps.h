// The maps of later steps as the maps of words. The query of a recurrent decoder is made before it
// knows the word that it predicts, and in some decoders even before it reads the word before that
// one. The map of a later step comes from a state that has read the word (Liu et al.,
// "Prophet Attention", NeurIPS 2020, call the difference deviated focus).
#pragma once

#include <span>
#include <vector>

#include "captioning/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Replaces the maps of the words of captions by those of options.map_step steps later. Words,
// probabilities, `self_attention` and `last` stay as they are. The captions are decoded again,
// forced word by word, with the regions that they chose; after the last word, <eos> is read for as
// many steps as needed. captions[m] belong to image m, and these members must have decoded them
// with these options. Throws UsageError where several models drew regions (regime sample), because
// captions do not keep those of each model.
void read_later_maps(std::span<const SearchMember> members, const SpecialWords& special,
                     std::span<const std::vector<DecodedCaption*>> captions,
                     const SearchOptions& options, std::uint64_t first_image);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
