#include "core/attention/sequence/block_attention.h"

#include "core/attention/sequence/make_sequence_attention.h"
#include "core/config/fields.h"

namespace saccade {

void BlockAttention::fields(Section& v) {
  const std::string own = path, kind = own + ".type";
  v.choice("type", type, sequence_attentions(),
           causal ? "the attention of a block; linformer and geometry are refused here"
                  : "the attention of a block");
  v.field("radius", radius, "positions before (and, in a picture, after), in reading order",
          at_least(0))
      .only_with(kind, "window");
  v.field("globals", globals,
          "how many of the first positions see all others and are seen by them; a class token and "
          "registers always do",
          at_least(0))
      .only_with(kind, "window");
  v.field("projected", projected, "number of learned mixtures of positions", between(1, 65536))
      .only_with(kind, "linformer");
  v.field("neighbours", neighbours,
          causal
              ? "which positions are joined by an edge; four and eight are for grids and refused "
                "here"
              : "which positions are joined by an edge")
      .only_with(kind, "graph");
  v.field("nearest", nearest, "number of other positions that each position is joined to",
          at_least(1))
      .only_with(kind, "graph")
      .only_with(own + ".neighbours", NeighbourKind::kCosine, NeighbourKind::kEuclidean);
}

}  // namespace saccade
