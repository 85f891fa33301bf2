// The parts of a config that decide what a model is; a checkpoint keeps them with its weights.
#pragma once

#include <cstdint>
#include <memory>

#include "captioning/model/decoders/decoder_config.h"
#include "captioning/model/supervision_config.h"
#include "core/attention/attention_config.h"
#include "vision/encoders/encoder_config.h"

namespace saccade {

class Vocabulary;  // vocabulary/vocabulary.h

struct ModelConfig {
  std::int64_t seed = 1;  // of the first weights
  EncoderConfig encoder;
  AttentionConfig attention;
  DecoderConfig decoder;
  SupervisionConfig supervision;  // the section objective.supervision
  // The tokens that data.vocabulary published takes from where the run starts. They are no option.
  std::shared_ptr<const Vocabulary> tokens;

  // False where words do not choose among regions by the section `attention`: there is then nothing
  // to choose by it, nor weights to replace.
  bool has_attention() const;
  // Whether words have maps, of that attention or of one self-attention with the regions.
  bool has_maps() const;
  // The heads of such an attention.
  std::int64_t map_heads() const { return has_attention() ? attention.heads : decoder.heads; }
};

}  // namespace saccade
