// How the positions of a transformer's blocks attend to each other: a row of
// sequence_attentions() and what it reads. The sections `encoder.vit.attention` and
// `decoder.self_attention`; a refinement has the same keys beside its own (refinement_config.h).
#pragma once

#include <cstdint>
#include <string>

#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class NeighbourKind { kFour, kEight, kCosine, kEuclidean };
constexpr auto enum_table(NeighbourKind) {
  using enum NeighbourKind;
  return enum_rows<NeighbourKind>({
      {kFour, "four", "cells that share a side"},
      {kEight, "eight", "cells that share a side or a corner"},
      {kCosine, "cosine", "the `nearest` positions of largest cosine"},
      {kEuclidean, "euclidean", "the `nearest` positions of smallest distance"},
  });
}

struct BlockAttention {
  const char* path = "";  // of the section, for rules and messages
  bool causal = false;    // of words, each of which sees those before it (check_causal)
  std::string type = "self_attention";
  std::int64_t radius = 8;
  std::int64_t globals = 0;
  std::int64_t projected = 16;
  NeighbourKind neighbours = NeighbourKind::kEight;
  std::int64_t nearest = 8;

  void fields(Section& v);
};

}  // namespace saccade
