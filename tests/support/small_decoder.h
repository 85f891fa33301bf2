// The small decoder of the tests that go through all kinds of decoders and attention.
#pragma once

#include <vector>

#include "captioning/model/decoders/decoder_config.h"

namespace saccade::test {

// The widths of its regions and of its vocabulary, and the words of some captions without <bos> and
// <eos>.
constexpr Index kFeatures = 4, kVocabulary = 9;
inline const std::vector<std::vector<int>> kCaptions{{4, 5, 8, 4}, {6, 7}, {5}};

inline DecoderConfig small(const std::string& kind) {
  return {.type = kind,
          .hidden = 4,
          .embedding = 3,
          .dropout = 0,
          .init_hidden = 3,
          .layers = 2,
          .heads = 2,
          .widen = 2,
          .longest = 16};
}

}  // namespace saccade::test
