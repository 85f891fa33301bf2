// The ways to search, one a file; search() chooses.
#pragma once

#include <vector>

#include "captioning/search/search.h"
#include "captioning/search/search_batch.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Captions of all images of a fresh batch, in the order of the call.

// The most probable word at every step, the lower id of equals.
std::vector<DecodedCaption> greedy_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options);
// Every word drawn from softmax(logits / temperature), of the top_k or top_p most probable ones;
// options.samples captions an image.
std::vector<DecodedCaption> sample_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options);
// captions[i], said to the last word and not searched: options.samples an image.
std::vector<DecodedCaption> given_search(SearchBatch& batch, const SpecialWords& special,
                                         const SearchOptions& options,
                                         std::span<const std::vector<int>> captions);
// The `beam` most probable hypotheses of an image side by side; one that says <eos> leaves its
// place for good (as in the code of Xu et al. 2015), so that a beam of one is greedy search.
// Finished hypotheses compete by log p / n^length_normalization, n words with <eos>. An image ends
// when no place is left, when the hypotheses hold max_length words, or when none can beat the best
// finished one: log p only falls, so log p / (max_length + 1)^length_normalization bounds what
// may become of a hypothesis (exactly, where the exponent is 0). With options.alternatives the so
// many best finished ones are kept, and none may beat the last of them.
//
// With options.groups it is diverse beam search (Vijayakumar et al. 2018) by Hamming distance: the
// beam is cut into groups, which extend their hypotheses one group after the other, and a word
// competes with log p - diversity * n, n hypotheses of the groups before saying it at this step
// (<eos> as any other). That decides who goes on and nothing else: what a hypothesis is worth in
// the end is its own log p.
std::vector<DecodedCaption> beam_search(SearchBatch& batch, const SpecialWords& special,
                                        const SearchOptions& options);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
