// The section `encoder.refine`: attention among the regions of an encoder's grid, before a decoder
// attends to them.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"

namespace saccade {

class Section;
enum class SequenceAttentionKind;  // sequence_attention_kind.h

enum class NeighbourKind { kFour, kEight, kCosine, kEuclidean };
constexpr auto enum_table(NeighbourKind) {
  using enum NeighbourKind;
  return enum_rows<NeighbourKind>({
      {kFour, "four", "cells that share a side"},
      {kEight, "eight", "cells that share a side or a corner"},
      {kCosine, "cosine", "the `nearest` regions of largest cosine"},
      {kEuclidean, "euclidean", "the `nearest` regions of smallest distance"},
  });
}

struct RefinementConfig {
  SequenceAttentionKind type = SequenceAttentionKind{};  // self_attention
  std::int64_t layers = 0;
  std::int64_t heads = 4;
  std::int64_t radius = 8;
  std::int64_t globals = 0;
  std::int64_t projected = 16;
  NeighbourKind neighbours = NeighbourKind::kEight;
  std::int64_t nearest = 8;

  void fields(Section& v);
};

}  // namespace saccade
