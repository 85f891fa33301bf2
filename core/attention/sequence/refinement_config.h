// The section `encoder.refine`: attention among the regions of an encoder's grid, before a decoder
// attends to them.
#pragma once

#include <cstdint>

#include "core/attention/sequence/sequence_attention_kind.h"
#include "core/base/enum_names.h"
#include "core/config/constraint.h"

namespace saccade {

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
  SequenceAttentionKind type = SequenceAttentionKind::kSelfAttention;
  std::int64_t layers = 0;
  std::int64_t heads = 4;
  std::int64_t radius = 8;
  std::int64_t globals = 0;
  std::int64_t projected = 16;
  NeighbourKind neighbours = NeighbourKind::kEight;
  std::int64_t nearest = 8;

  template <class V>
  void fields(V& v) {
    v.field("type", type, "the attention of a block");
    v.field("layers", layers, "blocks of attention and a dense network; 0 = none", between(0, 64));
    v.field("heads", heads, "maps per region, each over its share of the features",
            between(1, 256));
    v.field("radius", radius, "regions before and after, in reading order", at_least(0))
        .only_with("encoder.refine.type", SequenceAttentionKind::kWindow);
    v.field("globals", globals, "how many of the first regions see all others and are seen by them",
            at_least(0))
        .only_with("encoder.refine.type", SequenceAttentionKind::kWindow);
    v.field("projected", projected, "number of learned mixtures of regions", between(1, 65536))
        .only_with("encoder.refine.type", SequenceAttentionKind::kLinformer);
    v.field("neighbours", neighbours, "which regions are joined by an edge")
        .only_with("encoder.refine.type", SequenceAttentionKind::kGraph);
    v.field("nearest", nearest, "number of other regions that each region is joined to",
            at_least(1))
        .only_with("encoder.refine.type", SequenceAttentionKind::kGraph)
        .only_with("encoder.refine.neighbours", NeighbourKind::kCosine, NeighbourKind::kEuclidean);
  }
};

}  // namespace saccade
