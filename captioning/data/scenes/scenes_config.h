// The section `data.scenes`: the built-in data set.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class UnseenKind { kTexture, kSize, kPair };
constexpr auto enum_table(UnseenKind) {
  using enum UnseenKind;
  return enum_rows<UnseenKind>({
      {kTexture, "texture",
       "combinations of texture, colour and shape; any two of them occur together in training"},
      {kSize, "size",
       "combinations of size, colour and shape; any two of them occur together in training; "
       "harder"},
      {kPair, "pair",
       "combinations of colour and shape, two words that training never joins; hardest"},
  });
}

struct ScenesConfig {
  std::int64_t train = 4000;
  std::int64_t val = 300;
  std::int64_t test = 500;
  std::int64_t size = 64;
  std::int64_t objects_max = 3;
  UnseenKind unseen = UnseenKind::kTexture;
  std::int64_t frames = 1;
  std::int64_t seed = 1;

  void fields(Section& v);
};

}  // namespace saccade
