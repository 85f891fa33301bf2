#include "core/attention/make_attention.h"

#include "core/attention/attention_registry.h"
#include "core/attention/axes.h"
#include "core/attention/composed.h"
#include "core/attention/mean_attention.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

AttentionHead make_head(const AttentionConfig& config, const AttentionEnds& ends,
                        const ParamScope& scope, Index head) {
  const Index heads = config.heads;
  AttentionHead out;
  out.score = attention_registry(config).scores.at(config.score)(scope.sub("score"),
                                                                 {.features = ends.scored(),
                                                                  .query = ends.query,
                                                                  .hidden = config.hidden / heads,
                                                                  .head = head,
                                                                  .heads = heads});
  out.scope =
      attention_scopes().at(config.scope)(scope.sub("scope"), {.query = ends.query,
                                                               .hidden = config.hidden / heads,
                                                               .radius = config.radius,
                                                               .pace = config.pace,
                                                               .globals = config.globals,
                                                               .noise = config.noise});
  if (heads > 1 || config.value_projection)
    out.value_weight =
        scope.declare("value.weight", {ends.features, config.context_width(ends.features) / heads},
                      Init::glorot(ends.features, config.context_width(ends.features) / heads));
  if (config.learned_scale)
    out.log_scale = scope.declare("log_scale", {1}, Init::constant(0), Decay::kNo);
  return out;
}

}  // namespace

std::unique_ptr<Attention> make_composed_attention(const AttentionConfig& config,
                                                   const AttentionEnds& ends,
                                                   const ParamScope& scope,
                                                   std::unique_ptr<Gate> gate) {
  ComposedParts parts;
  for (Index h = 0; h < config.heads; ++h)
    parts.heads.push_back(
        make_head(config, ends, config.heads == 1 ? scope : scope.sub(str("head_", h)), h));
  parts.normalizer = config.normalizer;
  parts.temperature = config.temperature.to;
  parts.selection = {.traits = attention_selections().at(config.selection),
                     .k = config.k,
                     .gumbel_temperature = config.gumbel_temperature.to};
  if (const Index width = config.context_width(ends.features); config.output_projection)
    parts.output_weight =
        scope.declare("output.weight", {width, width}, Init::glorot(width, width));
  if (config.sentinel)
    parts.sentinel_weight = scope.declare("sentinel.weight", {ends.sentinel, ends.features},
                                          Init::glorot(ends.sentinel, ends.features));
  if (config.sentinel && ends.keys > 0)
    parts.sentinel_key = scope.declare("sentinel.key.weight", {ends.sentinel, ends.keys},
                                       Init::glorot(ends.sentinel, ends.keys));
  parts.gate = std::move(gate);
  return std::make_unique<ComposedAttention>(std::move(parts));
}

std::unique_ptr<Attention> make_attention(const AttentionConfig& config, const AttentionEnds& ends,
                                          const ParamScope& scope) {
  check_attention(config);
  if (config.value_width % config.heads != 0)
    throw UsageError(str("attention.heads ", config.heads,
                         " does not divide attention.value_width ", config.value_width,
                         ", which the heads share; change one of them"));
  if (config.value_width == 0 && ends.features % config.heads != 0)
    throw UsageError(
        str("attention.heads ", config.heads, " does not divide the encoder's ", ends.features,
            " features, which the heads share (encoder.positions coordinates adds 2, "
            "and of boxes 5, to those of its layers); choose another number of heads, other "
            "encoder.positions or another width"));
  if (config.sentinel && ends.sentinel == 0)
    throw UsageError("attention.sentinel needs a decoder with a memory of its own, such as lstm");
  auto gate = attention_gates().at(config.gate)(
      scope.sub("gate"), {.query = ends.query, .features = config.context_width(ends.features)});
  if (const MechanismFactory& make = attention_registry(config).mechanisms.at(config.mechanism))
    return make({.scope = scope.sub(config.mechanism),
                 .features = ends.features,
                 .keys = ends.scored(),
                 .query = ends.query,
                 .hidden = config.hidden,
                 .regions = ends.regions,
                 .projected = config.projected,
                 .gate = std::move(gate)});
  if (config.score != "none") return make_composed_attention(config, ends, scope, std::move(gate));
  if (ends.keys > 0)
    throw UsageError(
        "encoder.keys needs an attention.score other than none: without scores nothing reads "
        "keys; leave encoder.keys and encoder.values as they are or choose a score");
  return std::make_unique<MeanAttention>(std::move(gate));
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
