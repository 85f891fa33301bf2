// From a config to a mechanism.
#pragma once

#include <memory>

#include "core/attention/attention.h"
#include "core/attention/score.h"
#include "core/config/experiment_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Declares the mechanism's parameters in `scope`. widths.hidden comes from the config.
std::unique_ptr<Attention> make_attention(const AttentionConfig& config, Index feature_width,
                                          Index query_width, const ParamScope& scope);

// The score of a registry entry; kNone has none.
ScoreFactory score_factory(ScoreKind kind);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
