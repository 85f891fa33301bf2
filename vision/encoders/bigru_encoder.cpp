// A text read from both ends by GRUs, whose states are the grid (Bahdanau et al. 2015, section
// 3.2).
#include <algorithm>

#include "core/base/error.h"
#include "core/nn/bidirectional_gru.h"
#include "core/nn/grid_positions.h"
#include "core/ops/linear.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/text_input.h"

namespace saccade {

namespace {

class BigruEncoder : public Encoder {
 public:
  BigruEncoder(const EncoderConfig& config, const ParamScope& scope)
      : config_(config),
        words_(scope.sub("embedding"), config),
        positions_(scope.sub("positions"), config.positions, grid_of(config)) {
    if (config.text.width % 2 != 0)
      throw UsageError(str("encoder.text.width is ", config.text.width,
                           "; with encoder.type bigru each direction has half of it, so it must "
                           "be even"));
    for (Index layer = 1; layer <= config.text.layers; ++layer)
      layers_.emplace_back(scope.sub(str("layer", layer)),
                           GruWidths{.in = config.text.width, .hidden = config.text.width / 2});
  }

  Var forward(Tape& tape, Var tokens) const override { return forward_padded(tape, tokens, {}); }

  // As many steps as the longest text of the batch has. Behind the end of a text the features are
  // zeros.
  Var forward_padded(Tape& tape, Var input, std::span<const PictureArea> areas) const override {
    const Index length = config_.text.length, batch = input.shape()[0], width = config_.text.width;
    const std::vector<int> numbers = token_numbers(input.value(), config_);
    const std::vector<Index> lengths = text_lengths(areas, batch, length);
    const Index steps = *std::max_element(lengths.begin(), lengths.end());
    std::vector<int> read;
    std::vector<std::uint8_t> mask;
    for (Index t = 0; t < steps; ++t)
      for (Index b = 0; b < batch; ++b) {
        const bool shown = t < lengths[static_cast<std::size_t>(b)];
        read.push_back(shown ? numbers[static_cast<std::size_t>(b * length + t)] : kPaddingToken);
        mask.push_back(shown ? 1 : 0);
      }
    Var x = ops::reshape(words_(tape, read), {steps, batch, width});
    for (const BidirectionalGru& layer : layers_)
      x = layer(tape, ops::dropout(x, config_.text.dropout), mask);
    return positions_(tape, by_text(tape, ops::reshape(x, {steps * batch, width}), lengths));
  }

  // The direction from the left has read the text at its last token, and the other one at the
  // first, where what positions append is taken from, too.
  Var last_state(Tape&, Var features, std::span<const PictureArea> areas) const override {
    const Shape shape = features.shape();
    const Index batch = shape[0], length = shape[1], half = config_.text.width / 2;
    const std::vector<Index> lengths = text_lengths(areas, batch, length);
    std::vector<int> first, last;
    for (Index b = 0; b < batch; ++b) {
      first.push_back(static_cast<int>(b * length));
      last.push_back(static_cast<int>(b * length + lengths[static_cast<std::size_t>(b)] - 1));
    }
    const Var rows = ops::reshape(features, {batch * length, shape[2]});
    const std::vector<Var> both{
        ops::slice_cols(ops::embedding(rows, last), 0, half),
        ops::slice_cols(ops::embedding(rows, first), half, shape[2] - half)};
    return ops::concat_cols(both);
  }

  GridShape grid() const override {
    GridShape grid = grid_of(config_);
    grid.features = positions_.features();
    return grid;
  }
  Shape input_shape() const override { return {config_.text.length}; }
  std::vector<std::string> words() const override { return config_.words; }

  ReceptiveField receptive_field() const override {
    throw UsageError(
        "each region of this encoder is computed from the whole text, by which the GRU gets there");
  }

  std::vector<EncoderStage> stages() const override {
    std::vector<EncoderStage> out{{.name = "embedding", .prefixes = {"embedding"}}};
    for (std::size_t layer = 1; layer <= layers_.size(); ++layer)
      out.push_back({.name = str("layer", layer), .prefixes = {str("layer", layer)}});
    return out;
  }

 private:
  static GridShape grid_of(const EncoderConfig& config) {
    return {{.rows = 1, .cols = config.text.length}, config.text.width};
  }

  // [T B, D], step by step -> [B, L, D], text by text.
  Var by_text(Tape& tape, Var states, const std::vector<Index>& lengths) const {
    const auto batch = static_cast<Index>(lengths.size());
    const Index padding = states.rows(), width = states.cols();
    const View zeros{tape.scratch(width), {1, width}};
    std::fill_n(zeros.data, width, Real{0});
    std::vector<int> rows;
    for (Index b = 0; b < batch; ++b)
      for (Index t = 0; t < config_.text.length; ++t)
        rows.push_back(
            static_cast<int>(t < lengths[static_cast<std::size_t>(b)] ? t * batch + b : padding));
    const std::vector<Var> all{states, tape.constant(zeros)};
    return ops::reshape(ops::embedding(ops::concat_rows(all), rows),
                        {batch, config_.text.length, width});
  }

  EncoderConfig config_;
  TokenVectors words_;
  std::vector<BidirectionalGru> layers_;
  GridPositions positions_;
};

}  // namespace

std::unique_ptr<Encoder> make_bigru_encoder(const EncoderConfig& config, const ParamScope& scope) {
  return std::make_unique<BigruEncoder>(config, scope);
}

}  // namespace saccade
