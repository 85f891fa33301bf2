// Makes the mechanism that a config describes.
#pragma once

#include <memory>

#include "core/attention/attention.h"
#include "core/attention/attention_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The widths and sizes of what a mechanism connects.
struct AttentionEnds {
  Index features = 0;  // D
  Index query = 0;     // Q
  Index sentinel =
      0;  // S, width of what the decoder knows without the image; 0: there is no sentinel
  Index regions = 0;  // L, of the largest grid
  Index keys = 0;     // K, where regions have keys of their own; 0: the scores read the features

  Index scored() const { return keys > 0 ? keys : features; }
};

// Declares the mechanism's parameters in `scope`. Throws UsageError, with the reason, where choices
// do not go together.
std::unique_ptr<Attention> make_attention(const AttentionConfig& config, const AttentionEnds& ends,
                                          const ParamScope& scope);

// Throws UsageError, with the reason, where choices do not go together.
void check_attention(const AttentionConfig& config);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
