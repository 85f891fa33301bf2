// The names and layouts that timm gives a vision transformer's parameters.
#pragma once

#include "core/io/torch_weights.h"
#include "vision/encoders/grid.h"

namespace saccade {

// What determines which parameters a VitEncoder has.
struct VitParts {
  GridShape grid;
  Index blocks = 0;
  bool class_token = true;
  Index registers = 0;
  bool positions = true;  // whether there are learned ones
};

// timm's names are patch_embed.proj, cls_token, reg_token, pos_embed, blocks.N.{norm1, attn.qkv,
// attn.proj, norm2, mlp.fc1, mlp.fc2} and norm; the classifier `head` is ignored. When a file's
// pos_embed includes positions of cls_token and reg_token (timm's no_embed_class = False), each
// token is read as the sum with its position. Tokens are written with positions of 0, or without
// positions if there are registers. Positions of another square grid are interpolated.
TorchWeights vit_weights(const VitParts& parts);

// Interpolates positions [rows * cols, D] of one grid for the cells of another, as timm does:
// bicubic (a = -1/2), with a kernel as wide as the output's cells where those are the larger ones.
std::vector<Real> resampled_positions(std::span<const Real> positions, const GridSize& from,
                                      const GridSize& to);

}  // namespace saccade
