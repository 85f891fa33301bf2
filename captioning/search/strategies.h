// The strategies of search(), which chooses one.
#pragma once

#include <vector>

#include "captioning/search/search.h"
#include "captioning/search/search_batch.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// All return the captions of all images of a fresh batch, in the order of the call.

// Takes the most probable word at every step, and of equal ones the lower id.
std::vector<DecodedCaption> greedy_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options);
// Draws every word from softmax(logits / temperature), among the top_k or top_p most probable ones;
// options.samples captions per image.
std::vector<DecodedCaption> sample_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options);
// Takes the words of captions[i] to the last, with options.samples captions per image.
std::vector<DecodedCaption> forced_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options,
                                          std::span<const std::vector<int>> captions);
// The `beam` most probable hypotheses of an image side by side; one that ends with <eos> leaves its
// place for good (as in the code of Xu et al. 2015), so that a beam of one is greedy search.
// Finished hypotheses compete by log p / n^length_normalization, n words with <eos>. An image ends
// when no place is left, when the hypotheses hold max_length words, or when none can beat the best
// finished one: log p only falls, so log p / (max_length + 1)^length_normalization bounds what
// may become of a hypothesis (exactly, where the exponent is 0). With options.alternatives the so
// many best finished ones are kept, and none may beat the last of them.
//
// With options.groups it is diverse beam search (Vijayakumar et al. 2018) by Hamming distance: the
// beam is cut into groups, which extend their hypotheses one group after the other, and a word
// competes with log p - diversity * n, where n hypotheses of the groups before take it at this
// step (<eos> as any other). That decides only which hypotheses continue: the score of a hypothesis
// in the end is its own log p.
std::vector<DecodedCaption> beam_search(SearchBatch& batch, const SpecialWords& special,
                                        const SearchOptions& options);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
