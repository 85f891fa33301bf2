#include "captioning/model/model_config.h"

#include "core/attention/scores/score_kind.h"

namespace saccade {

bool ModelConfig::has_attention() const {
  return decoder.attends() && attention.score != ScoreKind::kNone;
}

}  // namespace saccade
