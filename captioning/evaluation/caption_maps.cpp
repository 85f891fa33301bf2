#include "captioning/evaluation/caption_maps.h"

#include <algorithm>

#include "captioning/evaluation/layer_head_maps.h"

namespace saccade {

namespace {

// Chooses the regions that a caption chose when it was decoded.
class Replay : public Chooser {
 public:
  // Sets the regions of all glimpses of a step; empty where none is chosen.
  void set_step(std::vector<int> regions) { regions_ = std::move(regions); }
  bool chooses() const { return !regions_.empty(); }
  void choose(ConstView, Index glimpse, std::span<int> chosen) override {
    chosen[0] = regions_[static_cast<std::size_t>(glimpse) % regions_.size()];
  }

 private:
  std::vector<int> regions_;
};

std::vector<int> regions_of(const DecodedCaption& caption, std::size_t step) {
  if (caption.map_step > 0)
    return caption.step_regions.empty() ? std::vector<int>() : caption.step_regions.at(step);
  const DecodedWord& word = caption.words[step];
  if (!word.choices.empty()) return word.choices;
  return word.chosen < 0 ? std::vector<int>() : std::vector<int>{word.chosen};
}

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

// One row for every layer and head.
using Rows = std::vector<std::vector<ConstView>>;

Rows word_rows(const StepOutput& step) {
  Rows rows;
  for (const ConstView weights : step.words) {
    const Index heads = weights.shape[1], read = weights.shape[3];
    rows.emplace_back();
    for (Index h = 0; h < heads; ++h) rows.back().push_back({weights.data + h * read, {1, read}});
  }
  return rows;
}

// Writes the rows of word t to maps [count, columns]. Word 0 makes these maps.
void add_rows(std::vector<LayerMap>& maps, const Rows& rows, Index t, const Shape& shape) {
  if (t == 0)
    for (std::size_t l = 0; l < rows.size(); ++l)
      for (std::size_t h = 0; h < rows[l].size(); ++h)
        maps.push_back({.layer = static_cast<Index>(l),
                        .head = static_cast<Index>(h),
                        .weights = Tensor(shape)});
  std::size_t map = 0;
  for (const std::vector<ConstView>& heads : rows)
    for (const ConstView row : heads)
      std::copy_n(row.data, row.size(), maps[map++].weights.view().row(t));
}

void add_words(Tape& tape, const Decoder& decoder, const EncodedImages& images,
               const DecodedCaption& caption, CaptionMaps& maps) {
  const auto count = static_cast<Index>(caption.words.size());
  const AttentionMemory memory = decoder.prepare(tape, images, 1);
  std::vector<Var> state = decoder.start(tape, memory);
  Replay replay;
  const SpecialWords special;
  int read = special.bos;
  for (Index t = 0; t < (count == 0 ? 0 : count + caption.map_step); ++t) {
    replay.set_step(regions_of(caption, static_cast<std::size_t>(t)));
    StepOutput step = decoder.step(
        tape, {&read, 1}, state, memory,
        {.step = t, .chooser = replay.chooses() ? &replay : nullptr, .words = t < count});
    if (t < count) add_rows(maps.words, word_rows(step), t, {count, count});
    if (const Index own = t - caption.map_step; own >= 0)
      add_rows(maps.cross, layer_head_maps(step), own, {count, memory.regions()});
    state = std::move(step.state);
    read = t < count ? caption.words[static_cast<std::size_t>(t)].id : special.eos;
  }
}

}  // namespace

CaptionMaps caption_maps(const CaptionModel& model, const InputView& input,
                         const DecodedCaption& caption) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  CaptionMaps maps;
  if (const TokenEncoder* encoder = model.encoder() ? model.encoder()->token_encoder() : nullptr) {
    maps.placeless = encoder->placeless();
    maps.class_token = encoder->has_class_token();
  }
  const EncodedImages images = model.encode(
      tape, input, {.tokens = adder(maps.tokens, tape), .regions = adder(maps.regions, tape)});
  if (!model.vocabulary().subwords()) add_words(tape, model.decoder(), images, caption, maps);
  return maps;
}

}  // namespace saccade
