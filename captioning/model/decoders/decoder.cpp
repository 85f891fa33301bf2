#include "captioning/model/decoders/decoder.h"

#include <algorithm>

#include "captioning/model/decoders/decoder_parts.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

Index PackedCaptions::length(Index caption) const {
  return static_cast<Index>(
      std::count_if(rows.begin(), rows.end(), [&](Index alive) { return alive > caption; }));
}

PackedCaptions pack_targets(std::span<const std::vector<int>> targets, int bos) {
  PackedCaptions packed;
  const std::size_t longest = targets.empty() ? 0 : targets[0].size();
  for (std::size_t t = 0; t < longest; ++t) {
    Index alive = 0;
    for (std::size_t b = 0; b < targets.size(); ++b) {
      const auto& words = targets[b];
      SACCADE_CHECK(b == 0 || words.size() <= targets[b - 1].size(),
                    "[pack_captions] captions must be sorted longest first");
      if (t >= words.size()) break;
      packed.inputs.push_back(t == 0 ? bos : words[t - 1]);
      packed.targets.push_back(words[t]);
      ++alive;
    }
    packed.rows.push_back(alive);
  }
  return packed;
}

PackedCaptions pack_captions(std::span<const std::vector<int>> captions, int bos, int eos) {
  std::vector<std::vector<int>> targets(captions.begin(), captions.end());
  for (std::vector<int>& words : targets) words.push_back(eos);
  return pack_targets(targets, bos);
}

void SequenceOutput::add_word(std::span<const Glimpse> glimpses) {
  layers.resize(glimpses.size());
  std::vector<RegionDraws>& chosen = draws.emplace_back();
  for (std::size_t l = 0; l < glimpses.size(); ++l) {
    layers[l].push_back(glimpses[l].weights);
    chosen.insert(chosen.end(), glimpses[l].draws.begin(), glimpses[l].draws.end());
    if (glimpses[l].surrogate) surrogates.push_back(glimpses[l].surrogate);
  }
}

std::unique_ptr<Decoder> make_decoder(const DecoderConfig& config, const AttentionConfig& attention,
                                      const DecoderWidths& widths, const ParamScope& scope) {
  check_decoder(config, attention);
  return decoder_registry()
      .at(config.type)
      .make({.config = config, .attention = attention, .widths = widths, .scope = scope});
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
