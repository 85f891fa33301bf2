// A model so small that every sequence of its hard attention's choices can be run.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "captioning/learning/objectives/caption_loss.h"
#include "core/base/random.h"

namespace saccade::test {

inline constexpr Index kRegions = 3, kFeatures = 2, kVocabulary = 6;
inline constexpr int kBos = 1, kEos = 2;

// What is chosen, by draw.
using Choices = std::vector<int>;

// Chooses what is given: choices[r % size][draw] for row r.
class ForcedObserver : public GlimpseObserver {
 public:
  explicit ForcedObserver(std::vector<Choices> choices) : choices_(std::move(choices)) {}
  bool chooses() const override { return true; }
  RegionChoice choose(const Odds& odds) override {
    return {.region = choices_[static_cast<std::size_t>(odds.row) % choices_.size()]
                              [static_cast<std::size_t>(odds.draw)],
            .sampled = true};
  }

 private:
  std::vector<Choices> choices_;
};

// What hard attention may be joined with.
struct HardForm {
  Index heads = 1;
  bool sentinel = false, monotonic = false;
};

struct TinyModel {
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;
  Tensor features{Shape{1, kRegions, kFeatures}};
  std::vector<std::vector<int>> captions{{4, 3}};  // three predictions with <eos>
  Index glimpses = 1;                              // per word
  HardForm form;

  explicit TinyModel(BaselineKind baseline = BaselineKind::kEma, const std::string& kind = "lstm",
                     const HardForm& hard_form = {})
      : form(hard_form) {
    DecoderConfig decoder_config;
    decoder_config.type = kind;
    decoder_config.hidden = 3, decoder_config.embedding = 2, decoder_config.init_hidden = 2;
    decoder_config.dropout = 0;
    if (kind == "transformer") {
      decoder_config.layers = glimpses = 2;
      decoder_config.heads = decoder_config.widen = 1;
      captions = {{4}};
    }
    AttentionConfig attention;
    attention.hidden = 3;
    attention.selection = "hard";
    attention.hard.baseline = baseline;
    if (form.heads > 1) {
      attention.heads = form.heads, attention.hidden = form.heads;
      attention.output_projection = true;
      captions = {{4}};  // fewer draws to enumerate
    }
    attention.sentinel = form.sentinel;
    if (form.monotonic) attention.scope = "monotonic", attention.noise = 0;
    decoder =
        make_decoder(decoder_config, attention, {.features = kFeatures, .vocabulary = kVocabulary},
                     ParamScope(store, "decoder"));
    store.initialise(3);
    Random random({5, Stream::kTest, 0, 0});
    // The weights are larger than those of a new model, so that map and words depend on the
    // choices.
    for (Real& value : store.flat().span()) value = static_cast<Real>(random.normal());
    for (Real& value : features.span()) value = static_cast<Real>(random.normal());
  }

  // The draws of a word.
  Index draws() const { return glimpses * form.heads; }
  // What each of them chooses from: the regions, and the sentinel or none.
  int options() const {
    return static_cast<int>(kRegions) + (form.sentinel || form.monotonic ? 1 : 0);
  }
  Index steps() const { return static_cast<Index>(captions[0].size()) + 1; }
  std::vector<Choices> all_choices() const {
    std::vector<Choices> all{{}};
    for (Index draw = 0; draw < steps() * draws(); ++draw) {
      std::vector<Choices> longer;
      for (const auto& head : all)
        for (int l = 0; l < options(); ++l) {
          longer.push_back(head);
          longer.back().push_back(l);
        }
      all = std::move(longer);
    }
    return all;
  }
};

inline CaptionLossOptions estimator(double lambda_r, double lambda_e) {
  CaptionLossOptions options;
  options.doubly_stochastic = 0;
  options.selection = "hard";
  options.hard = {.lambda_r = lambda_r,
                  .lambda_e = lambda_e,
                  .expectation_share = 0,
                  .baseline_decay = 0.9,
                  .baseline = BaselineKind::kEma,
                  .coin = CoinKind::kImage,
                  .reward = RewardKind::kSum};
  return options;
}

// A moving average that has one value everywhere.
inline RewardBaseline fixed(double value) {
  return {.all = {.started = true, .value = value}, .by_length = {}};
}

// What was decided at draw number `draw` of the captions.
inline const RegionDraws& draw_of(const SequenceOutput& output, Index draw) {
  const auto per_word = static_cast<Index>(output.draws[0].size());
  return output
      .draws[static_cast<std::size_t>(draw / per_word)][static_cast<std::size_t>(draw % per_word)];
}

}  // namespace saccade::test
