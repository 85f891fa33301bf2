// Scheduled sampling (Bengio et al. 2015): some of the words that a decoder reads in training are
// its own, so that it learns to continue its own output.
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
// `probability` a word that the model, having read the inputs before it, draws in the place of the
// true one. It draws from the words with which a caption continues in search, that is not <eos>,
// <unk>, <pad> or <bos>, by its own distribution over them. It draws as in search, without dropout;
// `context` is that of training without its estimator, so that hard attention chooses the regions
// of the pass to come, apart from the effect of dropout.
//
// It is the procedure of the paper for every decoder: the steps of search decide, and one call over
// the whole sequence, which gives the same for the same inputs, trains on them. No gradient goes
// through a draw, there as here.
std::vector<int> scheduled_inputs(std::span<const ConstView> parameters, const Decoder& decoder,
                                  const PackedCaptions& captions, const AttentionMemory& memory,
                                  const AttendContext& context, const SampledInputs& sampling);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
