// A vision transformer's parameters by the names and layouts that timm gives them.
#pragma once

#include "core/io/torch_weights.h"
#include "vision/encoders/grid.h"

namespace saccade {

// What decides which parameters a VitEncoder has.
struct VitParts {
  GridShape grid;
  Index blocks = 0;
  bool class_token = true;
  Index registers = 0;
  bool positions = true;  // learned ones
};

// patch_embed.proj, cls_token, reg_token, pos_embed, blocks.N.{norm1, attn.qkv, attn.proj, norm2,
// mlp.fc1, mlp.fc2} and norm; the classifier `head` is ignored. cls_token and reg_token are read as
// the sums with their own positions, where pos_embed has those (timm's no_embed_class = False), and
// written with positions of 0, or without any if there are registers. Positions of another square
// grid are interpolated.
TorchWeights vit_weights(const VitParts& parts);

struct PositionGrid {
  Index rows = 0, cols = 0;
};
// Positions [rows * cols, D] of one grid for the cells of another, as timm does it: bicubic
// (a = -1/2), the kernel as wide as the output's cells where those are the larger ones.
std::vector<Real> resampled_positions(std::span<const Real> positions, const PositionGrid& from,
                                      const PositionGrid& to);

}  // namespace saccade
