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

namespace saccade {

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

  Var forward(Tape& tape, Var pixels) const override;
  GridShape grid() const override { return grid_; }
  Shape input_shape() const override { return input_shape_; }
  // The stem's stages, then the embedding of patches with all tokens and positions, then every
  // block. The last normalisation learns with the decoder.
  std::vector<EncoderStage> stages() const override;
  // timm's names (vit_weights.h). Throws UsageError when there is a stem, and for blocks that no
  // published network has.
  TorchWeights pretrained() const override;

  const TokenEncoder* token_encoder() const override { return this; }
  Var tokens(Tape& tape, Var pixels) const override;
  const std::vector<TransformerBlock>& blocks() const override { return blocks_; }
  Var features(Tape& tape, Var tokens) const override;
  Var class_features(Tape& tape, Var tokens) const override;
  Index placeless() const override { return placeless_; }
  bool has_class_token() const override { return class_token_; }

 private:
  GridShape extents_of_input(const EncoderConfig& config) const;
  Var patches_of(Var tokens) const;

  std::unique_ptr<Encoder> stem_;
  Shape input_shape_;
  bool class_token_;
  Index placeless_;
  GridShape grid_;
  Conv2d patch_;
  bool learned_positions_, as_published_;
  GridPositions positions_;
  int tokens_ = -1;  // [P, D]
  std::vector<TransformerBlock> blocks_;
  std::optional<LayerNorm> norm_;  // behind the last block; none where blocks end normalised
};

}  // namespace saccade
