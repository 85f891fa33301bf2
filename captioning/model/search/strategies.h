// The strategies from which search() chooses.
#pragma once

#include <vector>

#include "captioning/model/search/search.h"
#include "captioning/model/search/search_batch.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// All return the captions of all images of a fresh batch, in the order of the call.

// Takes the most probable word at every step; of equal ones, the one with the lower id.
std::vector<DecodedCaption> greedy_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options);
// Draws every word from softmax(logits / temperature), among the top_k or top_p most probable ones;
// options.samples captions per image.
std::vector<DecodedCaption> sample_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options);
// Takes the words of captions[i] up to the last; there are options.samples captions per image.
std::vector<DecodedCaption> forced_search(SearchBatch& batch, const SpecialWords& special,
                                          const SearchOptions& options,
                                          std::span<const std::vector<int>> captions);
// The `beam` most probable hypotheses of an image, side by side. One that ends with <eos> gives up
// its place for good (as in the code of Xu et al. 2015), so a beam of one is greedy search.
// Finished hypotheses compete by log p / n^length_normalization, with n words including <eos>. An
// image ends when no place is left, when the hypotheses hold max_length words, or when none of them
// can beat the best finished one: log p only falls, so log
// p / (max_length + 1)^length_normalization bounds what a hypothesis can still reach (exactly,
// where the exponent is 0). With options.alternatives, that many of the best finished hypotheses
// are kept, and the image ends when none can beat the last of them.
//
// With options.groups it is diverse beam search (Vijayakumar et al. 2018) by Hamming distance: the
// beam is cut into groups, which extend their hypotheses one group after the other. A word competes
// with log p - diversity * n, where n hypotheses of earlier groups take the word at this step
// (<eos> as any other). This decides only which hypotheses continue: in the end, the score of a
// hypothesis is its own log p.
//
// Where options.beam_end is one of the refills, it is beam search as in transformers. Of the 2 beam
// best extensions of an image, those that end are finished if they are among the first `beam`, and
// the first `beam` that do not end go on. Extensions that reach max_length, with or without <eos>,
// count as ended. The `beam` best finished ones by log p / n^length_normalization are kept.
//
// An image with constraints (options.must) has a beam of `beam` hypotheses for each state of the
// automaton that follows them (Anderson et al. 2017): extensions compete with those that lead to
// the same state. The words that lead to other states are among the extensions however improbable
// they are. Only <eos> behind all constraints finishes a caption. A finished hypothesis keeps its
// place in the beam of the last state while it is among the best there, whatever options.beam_end:
// a short caption that meets the constraints early is then replaced by better ones.
std::vector<DecodedCaption> beam_search(SearchBatch& batch, const SpecialWords& special,
                                        const SearchOptions& options);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
