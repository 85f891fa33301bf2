// The encoder of a transformer (Vaswani et al. 2017) over the tokens of a text, with pre-norm
// blocks. The tokens that the last block returns are the grid.
#include "core/attention/sequence/multi_head_attention.h"
#include "core/base/error.h"
#include "core/nn/grid_positions.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/text_input.h"

namespace saccade {

namespace {

PositionKind token_positions(const EncoderConfig& config) {
  if (config.positions == PositionKind::kCoordinates)
    throw UsageError(
        "encoder.positions coordinates widens the features, but a transformer adds to them; "
        "choose sinusoidal, sinusoidal_2d, learned or none");
  return config.positions;
}

class TextTransformerEncoder : public Encoder, public TokenEncoder {
 public:
  TextTransformerEncoder(const EncoderConfig& config, const ParamScope& scope)
      : config_(config),
        words_(scope.sub("embedding"), config),
        positions_(scope.sub("embedding.positions"), token_positions(config), grid_of(config)),
        norm_(scope.sub("norm"), config.text.width) {
    const TransformerBlockOptions options{.features = config.text.width,
                                          .multiple = config.text.multiple,
                                          .activation = DenseActivation::kRelu,
                                          .norm = NormPlacement::kPre,
                                          .dropout = config.text.dropout};
    for (Index layer = 1; layer <= config.text.layers; ++layer)
      blocks_.emplace_back(scope.sub(str("block", layer)), options, [&](const ParamScope& own) {
        return std::make_unique<MultiHeadAttention>(own,
                                                    SequenceWidths{.features = config.text.width,
                                                                   .heads = config.text.heads,
                                                                   .key = "encoder.text.heads"});
      });
  }

  Var forward(Tape& tape, Var input) const override {
    return features(tape, last_tokens(tape, input, {}));
  }
  Var forward_padded(Tape& tape, Var input, std::span<const PictureArea> areas) const override {
    std::vector<std::uint8_t> mask;
    for (const PictureArea& area : areas) add_mask(area, grid_of(config_), mask);
    return features(tape, last_tokens(tape, input, mask));
  }

  GridShape grid() const override { return grid_of(config_); }
  Shape input_shape() const override { return {config_.text.length}; }
  std::vector<std::string> words() const override { return config_.words; }

  std::vector<EncoderStage> stages() const override {
    std::vector<EncoderStage> out{{.name = "embedding", .prefixes = {"embedding"}}};
    for (std::size_t block = 1; block <= blocks_.size(); ++block)
      out.push_back({.name = str("block", block), .prefixes = {str("block", block)}});
    return out;
  }

  const TokenEncoder* token_encoder() const override { return this; }
  Var tokens(Tape& tape, Var input) const override {
    const Var words = words_(tape, token_numbers(input.value(), config_));
    const Index batch = input.shape()[0];
    return ops::dropout(
        positions_(tape, ops::reshape(words, {batch, config_.text.length, config_.text.width})),
        config_.text.dropout);
  }
  const std::vector<TransformerBlock>& blocks() const override { return blocks_; }
  Var features(Tape& tape, Var tokens) const override { return norm_(tape, tokens); }
  Var class_features(Tape&, Var) const override {
    throw ShapeError("[text] there is no class token");
  }
  Var placeless_features(Tape&, Var) const override {
    throw ShapeError("[text] there are no tokens without a place");
  }
  Index placeless() const override { return 0; }
  bool has_class_token() const override { return false; }

 private:
  static GridShape grid_of(const EncoderConfig& config) {
    return {{.rows = 1, .cols = config.text.length}, config.text.width};
  }

  EncoderConfig config_;
  TokenVectors words_;
  GridPositions positions_;
  LayerNorm norm_;
  std::vector<TransformerBlock> blocks_;
};

}  // namespace

std::unique_ptr<Encoder> make_text_transformer_encoder(const EncoderConfig& config,
                                                       const ParamScope& scope) {
  return std::make_unique<TextTransformerEncoder>(config, scope);
}

}  // namespace saccade
