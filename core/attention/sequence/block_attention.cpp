#include "core/attention/sequence/block_attention.h"

#include <string>

#include "core/attention/sequence/sequence_attention_kind.h"
#include "core/config/fields.h"

namespace saccade {

// The default that the header gives by its number.
static_assert(SequenceAttentionKind{} == SequenceAttentionKind::kSelfAttention);

void BlockAttention::fields(Section& v) {
  using enum SequenceAttentionKind;
  const std::string own = path, kind = own + ".type";
  v.field("type", type,
          causal ? "the attention of a block; linformer mixes all positions and is refused here"
                 : "the attention of a block");
  v.field("radius", radius, "positions before (and, in a picture, after), in reading order",
          at_least(0))
      .only_with(kind, kWindow);
  v.field("globals", globals,
          "how many of the first positions see all others and are seen by them; a class token and "
          "registers always do",
          at_least(0))
      .only_with(kind, kWindow);
  v.field("projected", projected, "number of learned mixtures of positions", between(1, 65536))
      .only_with(kind, kLinformer);
  v.field("neighbours", neighbours,
          causal
              ? "which positions are joined by an edge; four and eight are for grids and refused "
                "here"
              : "which positions are joined by an edge")
      .only_with(kind, kGraph);
  v.field("nearest", nearest, "number of other positions that each position is joined to",
          at_least(1))
      .only_with(kind, kGraph)
      .only_with(own + ".neighbours", NeighbourKind::kCosine, NeighbourKind::kEuclidean);
}

}  // namespace saccade
