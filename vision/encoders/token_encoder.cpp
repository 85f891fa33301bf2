#include "vision/encoders/token_encoder.h"

#include <algorithm>

#include "core/autograd/keep_value.h"
#include "core/base/error.h"
#include "vision/encoders/each_image.h"

namespace saccade {

std::vector<std::uint8_t> TokenEncoder::readable(std::span<const std::uint8_t> mask,
                                                 Index batch) const {
  if (mask.empty()) return {};
  SACCADE_CHECK(batch > 0 && static_cast<Index>(mask.size()) % batch == 0, "[tokens] ", mask.size(),
                " numbers of a mask for ", batch, " images");
  const auto regions = mask.size() / static_cast<std::size_t>(batch);
  std::vector<std::uint8_t> out;
  for (std::size_t first = 0; first < mask.size(); first += regions) {
    out.insert(out.end(), static_cast<std::size_t>(placeless()), 1);
    const auto own = mask.subspan(first, regions);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

Var TokenEncoder::last_tokens(Tape& tape, Var pixels, std::span<const std::uint8_t> mask,
                              const WatchBlock& watch) const {
  const std::vector<std::uint8_t> read = readable(mask, pixels.shape()[0]);
  const AttentionMask allowed{.allowed = read};
  const Var first = keep_value(tape, [&] { return tokens(tape, pixels); });
  return keep_last(tape, first, blocks().size(), [&](std::size_t b, Var x) {
    const TransformerBlock& block = blocks()[b];
    if (watch) watch(block, x, allowed);
    return each_image(x, [&](Var images, Index number) {
      if (read.empty()) return block(tape, images, allowed);
      const auto of_image = static_cast<std::size_t>(images.shape()[1]);
      const auto count = static_cast<std::size_t>(images.shape()[0]);
      const AttentionMask own{.allowed = allowed.allowed.subspan(
                                  static_cast<std::size_t>(number) * of_image, count * of_image)};
      return block(tape, images, own);
    });
  });
}

}  // namespace saccade
