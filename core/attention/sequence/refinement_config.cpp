#include "core/attention/sequence/refinement_config.h"

#include "core/attention/sequence/make_sequence_attention.h"
#include "core/config/fields.h"

namespace saccade {

BlockAttention RefinementConfig::attention() const {
  return {.path = "encoder.refine",
          .type = type,
          .radius = radius,
          .globals = globals,
          .projected = projected,
          .neighbours = neighbours,
          .nearest = nearest};
}

void RefinementConfig::fields(Section& v) {
  v.choice("type", type, sequence_attentions(), "the attention of a block");
  v.field("layers", layers, "blocks of attention and a dense network; 0 = none", between(0, 64));
  v.field("heads", heads, "maps per region, each over its share of the features", between(1, 256));
  v.field("radius", radius, "regions before and after, in reading order", at_least(0))
      .only_with("encoder.refine.type", "window");
  v.field("globals", globals, "how many of the first regions see all others and are seen by them",
          at_least(0))
      .only_with("encoder.refine.type", "window");
  v.field("projected", projected, "number of learned mixtures of regions", between(1, 65536))
      .only_with("encoder.refine.type", "linformer");
  v.field("neighbours", neighbours, "which regions are joined by an edge")
      .only_with("encoder.refine.type", "graph");
  v.field("nearest", nearest, "number of other regions that each region is joined to", at_least(1))
      .only_with("encoder.refine.type", "graph")
      .only_with("encoder.refine.neighbours", NeighbourKind::kCosine, NeighbourKind::kEuclidean);
  v.field("norm", norm, "where the layers of a block normalise");
}

}  // namespace saccade
