#include "vision/encoders/encoder_traits.h"

#include <vector>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "vision/encoders/backbones/hub_network.h"
#include "vision/encoders/encoder_kind.h"

namespace saccade {

EncoderTraits encoder_traits(EncoderKind kind) {
  switch (kind) {
#define SACCADE_ENCODER(name, enumerator, what, source, traits) \
  case EncoderKind::enumerator:                                 \
    return traits;
#include "vision/encoders/encoders.def"
#undef SACCADE_ENCODER
    case EncoderKind::kOnnx:
      return {.reads_onnx_file = true, .runs_in_opencv = true};
  }
  throw InternalError("unknown encoder");
}

EncoderTraits encoder_traits(const EncoderConfig& config) {
  EncoderTraits traits = encoder_traits(config.type);
  if (traits.has_tokens)
    traits.heads = traits.reads_text ? config.text.heads : resolved(config.vit).heads;
  if (config.type == EncoderKind::kHub) {
    const HubTokens tokens = hub_tokens(config);
    traits.has_tokens = tokens.any;
    traits.lacks_class_token = !tokens.of_class;
    traits.heads = tokens.heads;
  }
  return traits;
}

std::string encoders_with(bool (*fits)(const EncoderTraits&)) {
  std::vector<std::string> names;
  for (const auto& row : enum_table(EncoderKind{}))
    if (fits(encoder_traits(row.value))) names.emplace_back(row.name);
  return join_or(names);
}

}  // namespace saccade
