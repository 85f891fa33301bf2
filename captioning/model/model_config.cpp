#include "captioning/model/model_config.h"

namespace saccade {

bool ModelConfig::has_attention() const { return decoder.attends() && attention.score != "none"; }

bool ModelConfig::has_maps() const {
  return has_attention() || decoder.image == ImageEntry::kPrefix;
}

}  // namespace saccade
