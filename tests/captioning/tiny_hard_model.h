// A model so small that every sequence of its hard attention's choices can be run.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "captioning/decoders/decoder_kind.h"
#include "captioning/objectives/caption_loss.h"
#include "core/attention/selection_kind.h"
#include "core/base/random.h"

namespace saccade::test {

inline constexpr Index kRegions = 3, kFeatures = 2, kVocabulary = 6;
inline constexpr int kBos = 1, kEos = 2;

// The chosen regions, by glimpse.
using Choices = std::vector<int>;

// Chooses the given regions: choices[r % size][glimpse] for row r.
class ForcedChooser : public Chooser {
 public:
  explicit ForcedChooser(std::vector<Choices> choices) : choices_(std::move(choices)) {}
  void choose(ConstView, Index glimpse, std::span<int> chosen) override {
    for (std::size_t r = 0; r < chosen.size(); ++r)
      chosen[r] = choices_[r % choices_.size()][static_cast<std::size_t>(glimpse)];
  }

 private:
  std::vector<Choices> choices_;
};

struct TinyModel {
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;
  Tensor features{Shape{1, kRegions, kFeatures}};
  std::vector<std::vector<int>> captions{{4, 3}};  // three predictions with <eos>
  Index glimpses = 1;                              // per word

  explicit TinyModel(BaselineKind baseline = BaselineKind::kEma,
                     DecoderKind kind = DecoderKind::kLstm) {
    DecoderConfig decoder_config;
    decoder_config.type = kind;
    decoder_config.hidden = 3, decoder_config.embedding = 2, decoder_config.init_hidden = 2;
    decoder_config.dropout = 0;
    if (kind == DecoderKind::kTransformer) {
      decoder_config.layers = glimpses = 2;
      decoder_config.heads = decoder_config.widen = 1;
      captions = {{4}};
    }
    AttentionConfig attention;
    attention.hidden = 3;
    attention.selection = SelectionKind::kHard;
    attention.hard.baseline = baseline;
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

  Index steps() const { return static_cast<Index>(captions[0].size()) + 1; }
  std::vector<Choices> all_choices() const {
    std::vector<Choices> all{{}};
    for (Index glimpse = 0; glimpse < steps() * glimpses; ++glimpse) {
      std::vector<Choices> longer;
      for (const auto& head : all)
        for (int l = 0; l < kRegions; ++l) {
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
  options.selection = SelectionKind::kHard;
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

inline Var map_of(const SequenceOutput& output, Index glimpse, Index glimpses) {
  const auto word = static_cast<std::size_t>(glimpse / glimpses);
  return glimpses == 1 ? output.weights[word]
                       : output.layers[static_cast<std::size_t>(glimpse % glimpses)].weights[word];
}

}  // namespace saccade::test
