// From a config to a mechanism.
#pragma once

#include <memory>

#include "core/attention/attention.h"
#include "core/config/attention_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What a mechanism stands between.
struct AttentionEnds {
  Index features = 0;  // D
  Index query = 0;     // Q
  Index sentinel = 0;  // S, of what the decoder knows; 0: it has no sentinel
  Index regions = 0;   // L, of the largest grid
  Index keys = 0;      // K, where regions have keys of their own; 0: scores read the features

  Index scored() const { return keys > 0 ? keys : features; }
};

// Declares the mechanism's parameters in `scope`. Throws UsageError, saying why, where choices do
// not go together.
std::unique_ptr<Attention> make_attention(const AttentionConfig& config, const AttentionEnds& ends,
                                          const ParamScope& scope);

// Throws UsageError, saying why, where choices do not go together.
void check_attention(const AttentionConfig& config);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
