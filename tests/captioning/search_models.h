// Small models for the tests of the search.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "captioning/model/search/search.h"
#include "core/base/random.h"
#include "tests/support/test_tape.h"

namespace saccade::test {

constexpr SpecialWords kSpecial;
constexpr int kFirstWord = 4;  // 0 .. 3 are special

inline Tensor random_features(Index images, Index regions, Index width, std::uint64_t seed) {
  Tensor features({images, regions, width});
  Random random({.seed = seed});
  for (Real& x : features.span()) x = static_cast<Real>(random.normal());
  return features;
}

inline Tensor rows_of(const Tensor& x, Index first, Index count) {
  const Index size = x.size() / x.shape()[0];
  return Tensor(x.shape().with_first(count),
                x.span().subspan(static_cast<std::size_t>(first * size),
                                 static_cast<std::size_t>(count * size)));
}

// An LSTM decoder whose weights are large enough to make clear choices.
struct TinyModel {
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;

  explicit TinyModel(std::uint64_t seed, Index vocabulary = 7, AttentionConfig attention = {},
                     Real scale = 3) {
    attention.hidden = 4 * attention.heads;
    decoder = make_decoder({.hidden = 6, .embedding = 5, .dropout = 0, .init_hidden = 4}, attention,
                           {.features = 3, .vocabulary = vocabulary}, ParamScope(store, "decoder"));
    store.initialise(seed);
    for (Real& x : store.flat().span()) x *= scale;
  }
  void set_eos_bias(Real bias) {
    store.value(decoder->word_parameters().bias)[kSpecial.eos] = bias;
  }
  std::vector<DecodedCaption> search(const Tensor& features, const SearchOptions& options,
                                     std::uint64_t first_image = 0) const {
    return saccade::search(*decoder, store.views(), features.view(), kSpecial, options,
                           first_image);
  }
  // -log p of the words of a caption and of <eos>, by teacher forcing.
  std::vector<double> nll(const Tensor& feature, const std::vector<int>& words,
                          GlimpseObserver* observer = nullptr) const {
    TestTape tape(store.views());
    const AttentionMemory memory = decoder->prepare(tape, tape.constant(feature.view()), 1);
    const std::vector<std::vector<int>> captions{words};
    const SequenceOutput out = decoder->sequence(
        tape, pack_captions(captions, kSpecial.bos, kSpecial.eos), memory, {.observer = observer});
    const ConstView value = out.nll.value();
    return {value.span().begin(), value.span().end()};
  }
};

// A decoder whose logits are a function of the image's first feature, the step and the word before.
// It attends to region 0, and its gate is the image's first feature.
class ScriptedDecoder : public Decoder {
 public:
  using Script = std::function<Real(Real feature, Index step, int before, int id)>;
  ScriptedDecoder(Index vocabulary, Script script)
      : vocabulary_(vocabulary), script_(std::move(script)) {}

  WordParameters word_parameters() const override {
    return {.embedding = -1, .matrix = -1, .bias = -1};
  }
  AttentionMemory prepare(Tape&, const EncodedImages& images, Index group) const override {
    return bare_memory(images.features, {.group = group});
  }
  std::vector<Var> start(Tape& tape, const AttentionMemory& memory) const override {
    const Var state = tape.output({memory.features.shape()[0], 1}, {});
    for (Index r = 0; r < state.rows(); ++r) tape.mutable_value(state)[r] = 0;
    return {state};
  }
  StepOutput step(Tape& tape, std::span<const int> words, std::span<const Var>,
                  const AttentionMemory& memory, const AttendContext& context) const override {
    const auto rows = static_cast<Index>(words.size());
    rows_.push_back(rows);
    const ConstView features = memory.features.value();
    const Index regions = features.shape[1], size = features.size() / features.shape[0];
    StepOutput out;
    out.logits = tape.output({rows, vocabulary_}, {});
    out.state = {tape.output({rows, 1}, {})};
    Glimpse glimpse;
    glimpse.weights = tape.output({rows, regions}, {});
    glimpse.gate = tape.output({rows, 1}, {});
    for (Index r = 0; r < rows; ++r) {
      const Real feature = features[r / memory.layout.group * size];
      for (Index v = 0; v < vocabulary_; ++v)
        tape.mutable_value(out.logits).row(r)[v] =
            script_(feature, context.step, words[static_cast<std::size_t>(r)], static_cast<int>(v));
      for (Index l = 0; l < regions; ++l)
        tape.mutable_value(glimpse.weights).row(r)[l] = l == 0 ? Real{1} : Real{0};
      tape.mutable_value(out.state[0])[r] = 0;
      tape.mutable_value(glimpse.gate)[r] = feature;
    }
    context.see(glimpse);
    return out;
  }
  SequenceOutput sequence(Tape&, const PackedCaptions&, const AttentionMemory&,
                          const AttendContext&) const override {
    return {};
  }
  // The number of rows at each step.
  const std::vector<Index>& rows() const { return rows_; }

 private:
  Index vocabulary_;
  Script script_;
  mutable std::vector<Index> rows_;
};

inline std::vector<int> ids(const DecodedCaption& caption) {
  std::vector<int> out;
  for (const DecodedWord& word : caption.words) out.push_back(word.id);
  return out;
}

}  // namespace saccade::test
