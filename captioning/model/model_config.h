// The parts of a config that decide what a model is; a checkpoint keeps them with its weights.
#pragma once

#include <cstdint>

#include "captioning/model/decoders/decoder_config.h"
#include "captioning/model/supervision_config.h"
#include "core/attention/attention_config.h"
#include "vision/encoders/encoder_config.h"

namespace saccade {

struct ModelConfig {
  std::int64_t seed = 1;  // of the first weights
  EncoderConfig encoder;
  AttentionConfig attention;
  DecoderConfig decoder;
  SupervisionConfig supervision;  // the section objective.supervision

  // False where words do not choose among regions: there is then no map to evaluate or draw.
  bool has_attention() const;
};

}  // namespace saccade
