// Scheduled sampling (Bengio et al. 2015): the words a decoder reads in training are in part its
// own, so that it learns to go on after what it says itself.
#pragma once

#include <cstdint>
#include <vector>

#include "captioning/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct SampledInputs {
  double probability = 0;  // that an input is the model's own word
  std::uint64_t seed = 0;
  Index update = 0;
  Index first_caption = 0;  // in the batch; random numbers depend on no other
};

// The inputs of captions [N] with some of them drawn: word by word, every input but <bos> is with
// `probability` a word that the model, having read the inputs before it, says in the place of the
// true one. Drawn are words with which a caption goes on in search: not <eos>, <unk>, <pad> or
// <bos>, by the model's own distribution over the others. The model says them as in search, without
// dropout; `context` is that of training without its estimator, so that hard attention looks where
// the pass to come looks, as far as dropout lets it.
//
// It is the procedure of the paper for every decoder: the steps of search decide, and one call over
// the whole sequence, which gives the same for the same inputs, trains on them. No gradient goes
// through a draw, there as here.
std::vector<int> scheduled_inputs(std::span<const ConstView> parameters, const Decoder& decoder,
                                  const PackedCaptions& captions, const AttentionMemory& memory,
                                  const AttendContext& context, const SampledInputs& sampling);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
