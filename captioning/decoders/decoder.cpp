#include "captioning/decoders/decoder.h"

#include "captioning/decoders/lstm_decoder.h"
#include "core/attention/make_attention.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

PackedCaptions pack_captions(std::span<const std::vector<int>> captions, int bos, int eos) {
  PackedCaptions packed;
  const std::size_t longest = captions.empty() ? 0 : captions[0].size();
  for (std::size_t t = 0; t <= longest && !captions.empty(); ++t) {
    Index alive = 0;
    for (std::size_t b = 0; b < captions.size(); ++b) {
      const auto& words = captions[b];
      SACCADE_CHECK(b == 0 || words.size() <= captions[b - 1].size(),
                    "[pack_captions] captions must be sorted longest first");
      if (t > words.size()) break;
      packed.inputs.push_back(t == 0 ? bos : words[t - 1]);
      packed.targets.push_back(t == words.size() ? eos : words[t]);
      ++alive;
    }
    packed.rows.push_back(alive);
  }
  return packed;
}

std::unique_ptr<Decoder> make_decoder(const DecoderConfig& config, const AttentionConfig& attention,
                                      const DecoderWidths& widths, const ParamScope& scope) {
  auto mechanism =
      make_attention(attention, widths.features, config.hidden, scope.sub("attention"));
  switch (config.type) {
    case DecoderKind::kLstm:
      return std::make_unique<LstmDecoder>(config, std::move(mechanism), widths, scope);
  }
  throw InternalError("unknown decoder");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
