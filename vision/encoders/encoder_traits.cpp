#include "vision/encoders/encoder_traits.h"

#include <vector>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "vision/encoders/encoder_kind.h"

namespace saccade {

namespace {

EncoderTraits traits_of(EncoderKind kind) {
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

}  // namespace

EncoderTraits encoder_traits(const EncoderConfig& config) { return traits_of(config.type); }

std::string encoders_with(bool (*fits)(const EncoderTraits&)) {
  std::vector<std::string> names;
  for (const auto& row : enum_table(EncoderKind{}))
    if (fits(traits_of(row.value))) names.emplace_back(row.name);
  return join_or(names);
}

}  // namespace saccade
