#include "captioning/model/decoders/decoder_traits.h"

#include <vector>

#include "captioning/model/decoders/decoder_kind.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// One declaration per line of the registry.
#define SACCADE_DECODER(name, ...) DecoderTraits name##_traits(const DecoderConfig&);
#include "captioning/model/decoders/decoders.def"
#undef SACCADE_DECODER

DecoderTraits decoder_traits(const DecoderConfig& config) {
  switch (config.type) {
#define SACCADE_DECODER(name, enumerator, ...) \
  case DecoderKind::enumerator:                \
    return name##_traits(config);
#include "captioning/model/decoders/decoders.def"
#undef SACCADE_DECODER
  }
  throw InternalError("unknown decoder");
}

std::string decoders_with(const DecoderConfig& config, bool (*fits)(const DecoderTraits&)) {
  std::vector<std::string> names;
  for (const auto& row : enum_table(DecoderKind{})) {
    DecoderConfig other = config;
    other.type = row.value;
    if (fits(decoder_traits(other))) names.emplace_back(row.name);
  }
  return join_or(names);
}

bool starts_with_image(const DecoderConfig& config) {
  return decoder_traits(config).first_state && config.image != ImageEntry::kFirstStep &&
         config.first_state == FirstState::kPooled;
}

bool reads_pooled(const DecoderConfig& config) {
  return starts_with_image(config) || config.image == ImageEntry::kEveryWord ||
         config.image == ImageEntry::kFirstStep;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
