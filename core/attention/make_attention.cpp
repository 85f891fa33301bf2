#include "core/attention/make_attention.h"

#include "core/attention/composed.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// One declaration a line of the registry.
#define SACCADE_SCORE(name, enumerator, text) \
  std::unique_ptr<Score> make_##name##_score(const ParamScope&, const AttentionWidths&);
#include "core/attention/scores.def"
#undef SACCADE_SCORE

ScoreFactory score_factory(ScoreKind kind) {
  switch (kind) {
#define SACCADE_SCORE(name, enumerator, text) \
  case ScoreKind::enumerator:                 \
    return make_##name##_score;
#include "core/attention/scores.def"
#undef SACCADE_SCORE
    case ScoreKind::kNone:
      break;
  }
  throw InternalError("attention.score none has no score");
}

std::unique_ptr<Attention> make_attention(const AttentionConfig& config, Index feature_width,
                                          Index query_width, const ParamScope& scope) {
  std::unique_ptr<ScalarGate> gate;
  if (config.gate == GateKind::kScalar)
    gate = std::make_unique<ScalarGate>(scope.sub("gate"), query_width);
  if (config.score == ScoreKind::kNone) {
    if (config.selection != SelectionKind::kSoft)
      throw UsageError(
          "attention.selection must be soft where attention.score is none: there is nothing to "
          "choose");
    return std::make_unique<MeanAttention>(std::move(gate));
  }
  auto score = score_factory(config.score)(
      scope.sub("score"),
      {.features = feature_width, .query = query_width, .hidden = config.hidden});
  return std::make_unique<ComposedAttention>(std::move(score), config.temperature, std::move(gate));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
