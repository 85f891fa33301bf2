#include "captioning/study/inspection/encoder_maps.h"

#include <algorithm>

#include "captioning/model/model.h"

namespace saccade {

namespace {

// Adds weights [1, H, T, S], one map per head.
void add_heads(std::vector<LayerMap>& maps, ConstView weights, Index layer, bool positions) {
  const Index rows = weights.shape[2], columns = weights.shape[3];
  for (Index h = 0; h < weights.shape[1]; ++h) {
    maps.push_back({.layer = layer,
                    .head = h,
                    .weights = Tensor(Shape{rows, columns}),
                    .positions = positions});
    std::copy_n(weights.data + h * rows * columns, rows * columns, maps.back().weights.data());
  }
}

// A watch that adds the maps of every block.
WatchBlock adder(std::vector<LayerMap>& maps, Tape& tape) {
  return [&maps, &tape, layer = Index{0}](const TransformerBlock& block, Var x,
                                          const AttentionMask& mask) mutable {
    add_heads(maps, block.weights(tape, x, mask), layer++, block.weighs_positions());
  };
}

}  // namespace

EncoderMaps encoder_maps(const CaptionModel& model, const InputView& input) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  EncoderMaps maps{.layout = {model.grid()}, .mask = model.mask(input)};
  if (const TokenEncoder* encoder = model.encoder() ? model.encoder()->token_encoder() : nullptr) {
    maps.placeless = encoder->placeless();
    maps.class_token = encoder->has_class_token();
  }
  model.encode(tape, input,
               {.tokens = adder(maps.tokens, tape), .regions = adder(maps.regions, tape)});
  return maps;
}

}  // namespace saccade
