// The section `encoder.refine`: attention among the regions of an encoder's grid, before a decoder
// attends to them.
#pragma once

#include <cstdint>

#include "core/attention/sequence/block_attention.h"
#include "core/attention/sequence/norm_placement.h"

namespace saccade {

class Section;

struct RefinementConfig {
  std::string type = "self_attention";
  std::int64_t layers = 0;
  std::int64_t heads = 4;
  std::int64_t radius = 8;
  std::int64_t globals = 0;
  std::int64_t projected = 16;
  NeighbourKind neighbours = NeighbourKind::kEight;
  std::int64_t nearest = 8;
  NormPlacement norm = NormPlacement::kPre;

  // Whether its blocks go by the boxes of regions.
  bool goes_by_boxes() const { return layers > 0 && type == "geometry"; }
  // What its blocks attend with.
  BlockAttention attention() const;

  void fields(Section& v);
};

}  // namespace saccade
