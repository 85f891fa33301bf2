// Scheduled sampling (Bengio et al. 2015): some of the words that a decoder reads in training are
// its own, so that it learns to continue its own output.
#pragma once

#include <cstdint>
#include <vector>

#include "captioning/model/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

struct SampledInputs {
  double probability = 0;  // that an input is a word of the model's own
  std::uint64_t seed = 0;
  Index update = 0;
  Index first_caption = 0;  // in the batch; random numbers depend on no other number
};

// The inputs of captions [N], some of which are drawn. Word by word, every input but <bos> is
// replaced with `probability` by a word that the model draws after it has read the inputs before.
// It draws by its own distribution from the words with which a caption continues in search, that
// is, not <eos>, <unk>, <pad> or <bos>. It draws as search does, without dropout. `context` is that
// of training without its estimator, so hard attention chooses the regions of the pass to come,
// except for the effect of dropout.
//
// This is the procedure of the paper for every decoder: the steps of search decide, and one call
// over the whole sequence, which gives the same for the same inputs, trains on them. In the paper
// as here, no gradient goes through a draw.
std::vector<int> scheduled_inputs(std::span<const ConstView> parameters, const Decoder& decoder,
                                  const PackedCaptions& captions, const AttentionMemory& memory,
                                  const AttendContext& context, const SampledInputs& sampling);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
