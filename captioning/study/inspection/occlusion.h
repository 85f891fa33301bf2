// Occlusion: what each region does for the probability of each word of a caption, by removing one
// region after the other. It is exact and follows every path from a region to a word, where a map
// shows only what a glimpse weighed.
#pragma once

#include <span>

#include "captioning/model/search/search.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// How a region is removed. Either way no glimpse gets anything of it, the others share its weight,
// and it does not count in the mean from which a first state is made.
enum class Removal {
  kMask,   // as padding is
  kZeros,  // its feature and key are zeros: for mechanisms that mix all regions and take no mask
};
Removal removal_of(const AttentionConfig& attention);

// Throws the UsageError of what follows for the regime sample.
[[noreturn]] void refuse_drawn_regions();

// log p(word | the words before, all regions) - log p(word | the words before, all but one region)
// [T, L], for the words of a caption (ids without <bos> and <eos>) and every region: above 0 where
// the region makes the word likelier. Regions that are masked (padding) have 0.
//
// member.images is one image, as the decoder gets it: what an encoder or a refinement has mixed
// into other regions stays there, and so does a pooled vector that is not their mean. It costs a
// forced decoding with one row per region, in blocks of a fixed size, which also hold the whole
// image; so neither threads nor the sizes of products make a difference. Of the options, the regime
// and the seed are read. Throws UsageError in the regime sample, where another draw would be
// mistaken for the effect of a region, and where fewer than two regions are unmasked; ShapeError
// where a mask meets kZeros.
Tensor region_effects(const SearchMember& member, const SpecialWords& special,
                      std::span<const int> caption, const SearchOptions& options, Removal removal);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
