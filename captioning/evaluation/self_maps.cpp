#include "captioning/evaluation/self_maps.h"

#include <algorithm>

namespace saccade {

namespace {

// Looks where a caption's word looked.
class Replay : public Chooser {
 public:
  void set_word(const DecodedWord& word) { word_ = &word; }
  void choose(ConstView, Index look, std::span<int> chosen) override {
    const auto count = static_cast<Index>(word_->choices.size());
    chosen[0] = count == 0 ? word_->chosen : word_->choices[static_cast<std::size_t>(look % count)];
  }

 private:
  const DecodedWord* word_ = nullptr;
};

// weights [1, H, T, S], a map a head.
void add_heads(std::vector<SelfMap>& maps, ConstView weights, Index layer) {
  const Index rows = weights.shape[2], columns = weights.shape[3];
  for (Index h = 0; h < weights.shape[1]; ++h) {
    maps.push_back({.layer = layer, .head = h, .weights = Tensor(Shape{rows, columns})});
    std::copy_n(weights.data + h * rows * columns, rows * columns, maps.back().weights.data());
  }
}

std::vector<SelfMap> word_maps(Tape& tape, const Decoder& decoder, Var features,
                               const DecodedCaption& caption) {
  const auto count = static_cast<Index>(caption.words.size());
  const AttentionMemory memory = decoder.prepare(tape, features, 1);
  std::vector<Var> state = decoder.start(tape, memory);
  std::vector<SelfMap> maps;
  Replay replay;
  int read = SpecialWords{}.bos;
  for (Index t = 0; t < count; ++t) {
    const DecodedWord& word = caption.words[static_cast<std::size_t>(t)];
    replay.set_word(word);
    StepOutput step =
        decoder.step(tape, {&read, 1}, state, memory,
                     {.step = t, .chooser = word.chosen < 0 ? nullptr : &replay, .words = true});
    if (step.words.empty()) return {};
    if (t == 0)
      for (std::size_t l = 0; l < step.words.size(); ++l)
        for (Index h = 0; h < step.words[l].shape[1]; ++h)
          maps.push_back(
              {.layer = static_cast<Index>(l), .head = h, .weights = Tensor(Shape{count, count})});
    std::size_t map = 0;
    for (const ConstView weights : step.words)
      for (Index h = 0; h < weights.shape[1]; ++h)
        std::copy_n(weights.data + h * (t + 1), t + 1, maps[map++].weights.view().row(t));
    state = std::move(step.state);
    read = word.id;
  }
  return maps;
}

}  // namespace

SelfMaps self_maps(const Captioner& model, ConstView input, const DecodedCaption& caption) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  SelfMaps maps;
  Var x = model.encode_grid(tape, input);
  if (const Refinement* refinement = model.refinement()) {
    Index layer = 0;
    for (const TransformerBlock& block : refinement->blocks()) {
      add_heads(maps.regions, block.weights(tape, x, {}), layer++);
      x = block(tape, x, {});
    }
  }
  maps.words = word_maps(tape, model.decoder(), x, caption);
  return maps;
}

}  // namespace saccade
