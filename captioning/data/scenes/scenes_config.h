// The section `data.scenes`: the built-in data set.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"
#include "core/config/constraint.h"

namespace saccade {

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
  std::int64_t seed = 1;

  template <class V>
  void fields(V& v) {
    v.field("train", train, "scenes to train on", between(1, 1e7));
    v.field("val", val, "scenes to validate on", between(1, 1e7));
    v.field("test", test, "scenes to test on, with combinations that training lacks",
            between(1, 1e7));
    v.field("size", size, "side of a scene in pixels", between(32, 1024));
    v.field("objects_max", objects_max, "largest number of objects in a scene", between(1, 3));
    v.field("unseen", unseen, "which combinations only test scenes show");
    v.field("seed", seed, "seed of the scenes; the seed of the run is for weights and batches",
            at_least(0));
  }
};

}  // namespace saccade
