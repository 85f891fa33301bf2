// The names and layouts that timm gives a vision transformer's parameters.
#pragma once

#include "core/io/torch_weights.h"
#include "vision/encoders/grid.h"

namespace saccade {

// How the positions of a square grid become those of another one. All are bicubic and separable.
enum class PositionRule {
  // a = -1/2, a filter that widens where the grid shrinks, cut at the border: timm, OpenCLIP, and
  // transformers where there are registers.
  kAntialiased,
  // a = -3/4, four taps, cells at the border repeated: transformers.
  kFourTaps,
  // The same with the corner cells at the corners: torchvision.
  kCorners,
  // The same as kFourTaps where a cell is n / (m + 0.1) wide: DINOv2's own weights.
  kDino,
};

// What determines the names of a VitEncoder's parameters.
struct VitNames {
  GridShape grid;
  Index blocks = 0, left_out = 0;  // the last ones of a file are not read
  bool class_token = true;
  Index registers = 0;
  bool positions = true;  // whether there are learned ones
  PositionRule rule = PositionRule::kAntialiased;
  bool last_norm = true;
  // Of a published network: how many of its first tokens have positions before those of a square
  // grid. -1: found out by the number of positions.
  Index placed = -1;
};

// timm's names are patch_embed.proj, cls_token, reg_token, pos_embed, norm_pre, blocks.N.{norm1,
// attn.qkv, attn.proj, ls1.gamma, norm2, mlp.fc1, mlp.fc2, ls2.gamma} and norm; the classifier
// `head` is ignored. When a file's
// pos_embed includes positions of cls_token and reg_token (timm's no_embed_class = False), each
// token is read as the sum with its position. Tokens are written with positions of 0, or without
// positions if there are registers. Positions of another square grid are interpolated.
TorchWeights vit_weights(const VitNames& parts);

// Interpolates positions [rows * cols, D] of one grid for the cells of another.
std::vector<Real> resampled_positions(std::span<const Real> positions, const GridSize& from,
                                      const GridSize& to,
                                      PositionRule rule = PositionRule::kAntialiased);

}  // namespace saccade
