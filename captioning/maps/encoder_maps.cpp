#include "captioning/maps/encoder_maps.h"

#include <algorithm>

#include "captioning/model.h"

namespace saccade {

namespace {

// Adds weights [1, H, T, S], one map per head.
void add_heads(std::vector<LayerMap>& maps, ConstView weights, Index layer) {
  const Index rows = weights.shape[2], columns = weights.shape[3];
  for (Index h = 0; h < weights.shape[1]; ++h) {
    maps.push_back({.layer = layer, .head = h, .weights = Tensor(Shape{rows, columns})});
    std::copy_n(weights.data + h * rows * columns, rows * columns, maps.back().weights.data());
  }
}

// A watch that adds the maps of every block.
WatchBlock adder(std::vector<LayerMap>& maps, Tape& tape) {
  return [&maps, &tape, layer = Index{0}](const TransformerBlock& block, Var x,
                                          const AttentionMask& mask) mutable {
    add_heads(maps, block.weights(tape, x, mask), layer++);
  };
}

}  // namespace

EncoderMaps encoder_maps(const CaptionModel& model, const InputView& input) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  EncoderMaps maps{
      .rows = model.grid().rows, .cols = model.grid().cols, .counts = model.counts(input)};
  if (const TokenEncoder* encoder = model.encoder() ? model.encoder()->token_encoder() : nullptr) {
    maps.placeless = encoder->placeless();
    maps.class_token = encoder->has_class_token();
  }
  model.encode(tape, input,
               {.tokens = adder(maps.tokens, tape), .regions = adder(maps.regions, tape)});
  return maps;
}

std::vector<LayerMap> word_maps(const DecodedCaption& caption) {
  std::vector<LayerMap> maps;
  const auto count = static_cast<Index>(caption.words.size());
  for (std::size_t t = 0; t < caption.words.size(); ++t) {
    const std::vector<SelfAttention>& all = caption.words[t].self_attention;
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (t == 0)
        maps.push_back(
            {.layer = all[m].layer, .head = all[m].head, .weights = Tensor(Shape{count, count})});
      std::copy(all[m].weights.begin(), all[m].weights.end(),
                maps.at(m).weights.view().row(static_cast<Index>(t)));
    }
  }
  return maps;
}

}  // namespace saccade
