// What to refine an encoder's grid with: the options, their names and defaults.
#pragma once

#include "core/base/enum_names.h"
#include "core/base/real.h"

namespace saccade {

// One enumerator a line of the registry.
enum class SequenceAttentionKind {
#define SACCADE_SEQUENCE_ATTENTION(name, enumerator, text) enumerator,
#include "core/attention/sequence/mechanisms.def"
#undef SACCADE_SEQUENCE_ATTENTION
};
constexpr auto enum_table(SequenceAttentionKind) {
  using enum SequenceAttentionKind;
  return enum_rows<SequenceAttentionKind>({
#define SACCADE_SEQUENCE_ATTENTION(name, enumerator, text) {enumerator, #name, text},
#include "core/attention/sequence/mechanisms.def"
#undef SACCADE_SEQUENCE_ATTENTION
  });
}

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

struct RefinementOptions {
  SequenceAttentionKind kind = SequenceAttentionKind::kSelfAttention;
  Index layers = 1;
  Index heads = 8;
  Index radius = 8;                                  // window: cells before and behind, in reading
  Index global = 0;                                  // window: cells that see and are seen by all
  Index projected = 32;                              // linformer: mixtures of keys and of values
  NeighbourKind neighbours = NeighbourKind::kEight;  // graph
  Index nearest = 8;                                 // graph: others a region, by features
};

}  // namespace saccade
