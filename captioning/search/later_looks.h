// Other looks as the maps of words. A recurrent decoder looks before it knows the word that it is
// about to say, and some before it has read the word before that one; a look that comes later is
// made by a state that has read the word (Liu et al., "Prophet Attention", NeurIPS 2020, call the
// difference deviated focus).
#pragma once

#include <span>
#include <vector>

#include "captioning/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Lets the words of captions tell of the looks that were taken options.map_step steps after their
// own: weights, heads, gate, sentinel and chosen regions. Words, probabilities and `last` stay as
// they are. The captions are said again, word by word, with the regions they chose; after the last
// word <eos> is read for as many steps as it takes. captions[m] are those of image m, which must
// have been said by these members with these options. Throws UsageError where several models drew
// regions (regime sample), since captions do not keep those of each.
void tell_later_looks(std::span<const SearchMember> members, const SpecialWords& special,
                      std::span<const std::vector<DecodedCaption*>> captions,
                      const SearchOptions& options, std::uint64_t first_image);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
