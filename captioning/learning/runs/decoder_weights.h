// What a run takes of a decoder that was trained elsewhere, where the encoder is another one.
#pragma once

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/model.h"
#include "core/io/archive.h"

namespace saccade {

// Throws UsageError where the decoder of `now` computes something else than that of `before`, whose
// weights it is to have; it names each key with both values. `key` is the one that names
// `source`, where these are.
void refuse_other_decoder(const ExperimentConfig& before, const ExperimentConfig& now,
                          const std::string& key, const std::string& source);

// What was taken.
struct TakenDecoder {
  Index arrays = 0;  // that have the archive's values
  Index anew = 0;    // of the attention to the image, which do not fit and stay as they are
};

// Gives the decoder of a model the weights of an archive (checkpoint_content.h). Arrays of the
// attention to the image (reads_image) may be missing or have other extents. Throws CheckpointError
// where others do, and where the archive's vocabulary is not that of the model.
TakenDecoder take_decoder(const Archive& archive, CaptionModel& model);

}  // namespace saccade
