// Forced decoding: captions are given instead of searched, so that the maps and probabilities of
// reference words can be read.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Decodes captions[m] (ids without <bos> and <eos>) of image m, which may have any number of
// captions, in the regime of `options`. Of the options, only regime, seed, ablation and recording
// are read. The result has the same order, with the probabilities and attention of the words; an
// empty caption stays empty. Throws ShapeError unless there is one list of captions per image.
std::vector<std::vector<DecodedCaption>> force_decode(
    std::span<const SearchMember> members, const SpecialWords& special,
    std::span<const std::vector<std::vector<int>>> captions, const SearchOptions& options,
    std::uint64_t first_image);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
