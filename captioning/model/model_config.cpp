#include "captioning/model/model_config.h"

namespace saccade {

bool ModelConfig::has_attention() const { return decoder.attends() && attention.score != "none"; }

}  // namespace saccade
