// Work of captioners on given features, for timing. The shapes are those of Show, Attend and Tell
// on a 14 x 14 x 512 grid with 10,000 words; caption i of a batch has 12 + (7 i mod 9) tokens,
// <bos> and <eos> included.
#pragma once

#include <string>

#include "experiments/benchmarks/timing.h"

namespace saccade {

// Times a training step: sat_vec, sat_hard, sat_gru, tdec_train or cnn.
Timing train_captioner(const std::string& workload, const WorkSize& size);
// Times a self-critical training step over size.batch images.
Timing train_self_critical(const WorkSize& size);
// Times captioning size.batch images with beam 3, 20 words each: beam3_batched, tdec_beam3 or
// marginal_beam3.
Timing search_beam(const std::string& workload, const WorkSize& size);
// Times Captioner::caption() of one picture in memory.
Timing caption_photo(const WorkSize& size);

}  // namespace saccade
