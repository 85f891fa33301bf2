// Captions that are given instead of searched: where a model looks for the words that people said
// (teacher forcing).
#pragma once

#include <span>
#include <vector>

#include "captioning/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Says captions[m] (ids without <bos> and <eos>) of image m, as many of every image as it has, in
// the regime of `options`; of these also seed and ablation count, and nothing else does. What comes
// back is in the same order, with the probabilities and looks that the words had; an empty caption
// stays empty. Throws ShapeError where captions and images are not equally many.
std::vector<std::vector<DecodedCaption>> say(
    std::span<const SearchMember> members, const SpecialWords& special,
    std::span<const std::vector<std::vector<int>>> captions, const SearchOptions& options,
    std::uint64_t first_image);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
