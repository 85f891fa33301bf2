// The vision transformer (Dosovitskiy et al. 2021): patches are tokens that attend to each other,
// and the tokens of the last layer are the grid. In its hybrid form the patches are cells of a
// CNN's grid.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/conv2d.h"
#include "core/nn/grid_positions.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/vit_weights.h"

namespace saccade {

// What the published vision transformers have beside the section encoder.vit, with the values of
// Dosovitskiy et al. 2021, which networks of the section have.
struct VitParts {
  Index width = 0, layers = 0, heads = 0, patch = 16;
  Index left_out = 0;  // published blocks behind those that it has
  Index hidden = 0;    // of the dense networks
  DenseActivation activation = DenseActivation::kGelu;
  double epsilon = 1e-6;  // of the normalisations
  bool class_token = true;
  Index registers = 0;       // tokens without a place behind the class token
  bool patch_bias = true;    // of the embedding of patches
  bool first_norm = false;   // a normalisation of the tokens before the first block
  bool last_norm = true;     // the one behind the last block
  bool layer_scale = false;  // a factor for each channel of what a block's layers add
  PositionRule rule = PositionRule::kAntialiased;  // for a grid other than the published one
  Index placed = -1;                               // as VitNames::placed
};

// x = patches W + positions, preceded by the class token and the registers; then blocks with gelu;
// features = layer_norm(x) of the patches (with post-norm blocks, x itself). The sides of the input
// are multiples of the patch's. Patches may overlap: each then also takes a margin of its
// neighbours, with zeros outside the input.
class VitEncoder : public Encoder, public TokenEncoder {
 public:
  // stem: the encoder whose grid is cut into patches, in scope "stem"; where it is null, the pixels
  // are cut. Throws UsageError where the patches do not fill the image or the heads do not divide
  // the width.
  VitEncoder(const EncoderConfig& config, const ParamScope& scope, std::unique_ptr<Encoder> stem);
  // A published network: attention and blocks as in its paper. config gives the extents of the
  // input, and the positions that the features get in addition. graph: see Encoder::graph().
  VitEncoder(const EncoderConfig& config, const VitParts& parts, const ParamScope& scope,
             std::string graph);

  Var forward(Tape& tape, Var pixels) const override;
  GridShape grid() const override;
  Shape input_shape() const override { return input_shape_; }
  // The stem's stages, then the embedding of patches with all tokens and positions, then every
  // block. The last normalisation learns with the decoder.
  std::vector<EncoderStage> stages() const override;
  // timm's names (vit_weights.h). Throws UsageError when there is a stem, and for blocks that no
  // published network has.
  TorchWeights pretrained() const override;

  std::string graph() const override { return graph_; }
  const TokenEncoder* token_encoder() const override { return this; }
  Var tokens(Tape& tape, Var pixels) const override;
  const std::vector<TransformerBlock>& blocks() const override { return blocks_; }
  Var features(Tape& tape, Var tokens) const override;
  Var class_features(Tape& tape, Var tokens) const override;
  Var placeless_features(Tape& tape, Var tokens) const override;
  Index placeless() const override { return placeless_; }
  bool has_class_token() const override { return parts_.class_token; }

 private:
  VitEncoder(const EncoderConfig& config, const VitParts& parts, const ParamScope& scope,
             std::unique_ptr<Encoder> stem, bool published);
  GridShape extents_of_input(const EncoderConfig& config) const;
  Var patches_of(Var tokens) const;

  std::unique_ptr<Encoder> stem_;
  Shape input_shape_;
  VitParts parts_;
  std::string graph_;
  Index placeless_;
  GridShape grid_;
  Conv2d patch_;
  bool learned_positions_, as_published_;
  GridPositions positions_;
  std::optional<GridPositions> added_;  // of a published network, behind its features
  int tokens_ = -1;                     // [P, D]
  std::vector<TransformerBlock> blocks_;
  std::optional<LayerNorm> first_norm_;
  std::optional<LayerNorm> norm_;  // behind the last block; none where blocks end normalised
};

}  // namespace saccade
