#include "vision/encoders/token_encoder.h"

#include <algorithm>

#include "core/autograd/keep_value.h"
#include "core/base/error.h"

namespace saccade {

std::vector<std::uint8_t> TokenEncoder::readable(std::span<const std::uint8_t> counts,
                                                 Index batch) const {
  if (counts.empty()) return {};
  SACCADE_CHECK(batch > 0 && static_cast<Index>(counts.size()) % batch == 0, "[tokens] ",
                counts.size(), " marks for ", batch, " images");
  const auto regions = counts.size() / static_cast<std::size_t>(batch);
  std::vector<std::uint8_t> out;
  for (std::size_t first = 0; first < counts.size(); first += regions) {
    out.insert(out.end(), static_cast<std::size_t>(placeless()), 1);
    const auto own = counts.subspan(first, regions);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

Var TokenEncoder::last_tokens(Tape& tape, Var pixels, std::span<const std::uint8_t> counts,
                              const WatchBlock& watch) const {
  const std::vector<std::uint8_t> read = readable(counts, pixels.shape()[0]);
  const AttentionMask mask{.allowed = read};
  Var x = tokens(tape, pixels);
  for (const TransformerBlock& block : blocks()) {
    if (watch) watch(block, x, mask);
    x = keep_value(tape, [&] { return block(tape, x, mask); });
  }
  return x;
}

}  // namespace saccade
