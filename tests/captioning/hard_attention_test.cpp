// Hard attention's estimator against exact enumeration, in double: on a tiny grid every sequence of
// choices is run, so the expectation of the estimated gradient is known without sampling.
#include <cmath>

#include "captioning/objectives/caption_loss.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr Index kRegions = 3, kFeatures = 2, kVocabulary = 6;
constexpr int kBos = 1, kEos = 2;

// Looks where it is told: choices[step], for every row.
class ForcedChooser : public Chooser {
 public:
  explicit ForcedChooser(std::vector<int> choices) : choices_(std::move(choices)) {}
  void choose(ConstView, Index step, std::span<int> chosen) override {
    for (int& c : chosen) c = choices_[static_cast<std::size_t>(step)];
  }

 private:
  std::vector<int> choices_;
};

struct TinyModel {
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;
  Tensor features{Shape{1, kRegions, kFeatures}};
  std::vector<std::vector<int>> captions{{4, 3}};  // three predictions with <eos>

  TinyModel() {
    DecoderConfig decoder_config;
    decoder_config.hidden = 3, decoder_config.embedding = 2, decoder_config.init_hidden = 2;
    decoder_config.dropout = 0;
    AttentionConfig attention;
    attention.hidden = 3;
    attention.selection = SelectionKind::kHard;
    decoder =
        make_decoder(decoder_config, attention, {.features = kFeatures, .vocabulary = kVocabulary},
                     ParamScope(store, "decoder"));
    store.initialise(3);
    Random random({5, Stream::kTest, 0, 0});
    // Larger weights than a fresh model has: the map and the words must depend on the choices.
    for (Real& value : store.flat().span()) value = static_cast<Real>(random.normal());
    for (Real& value : features.span()) value = static_cast<Real>(random.normal());
  }

  Index steps() const { return static_cast<Index>(captions[0].size()) + 1; }
  std::vector<std::vector<int>> all_choices() const {
    std::vector<std::vector<int>> all{{}};
    for (Index t = 0; t < steps(); ++t) {
      std::vector<std::vector<int>> longer;
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

struct Outcome {
  double probability = 1;  // of the choices
  double nll = 0;
  double entropy = 0;  // summed over the words
  std::vector<Real> gradient;
};

CaptionLossOptions estimator(double lambda_r, double lambda_e) {
  CaptionLossOptions options;
  options.doubly_stochastic = 0;
  options.selection = SelectionKind::kHard;
  options.hard = {.lambda_r = lambda_r,
                  .lambda_e = lambda_e,
                  .expectation_share = 0,
                  .baseline_decay = 0.9,
                  .baseline = BaselineKind::kNone,
                  .coin = CoinKind::kImage,
                  .reward = RewardKind::kSum};
  return options;
}

Outcome run(const TinyModel& model, const std::vector<int>& choices,
            const CaptionLossOptions& options, double baseline) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  tape.set_training(true);
  ForcedChooser chooser(choices);
  ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                 pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                 &chooser);
  Outcome out;
  out.nll = loss.nll()[0];
  for (std::size_t t = 0; t < choices.size(); ++t) {
    const ConstView alpha = loss.output().weights[t].value();
    out.probability *= alpha[choices[t]];
    for (Index l = 0; l < kRegions; ++l) out.entropy -= alpha[l] * std::log(alpha[l]);
  }
  loss.backward(baseline);
  out.gradient = test::parameter_gradients(tape, model.store);
  return out;
}

std::vector<double> expected_gradient(const TinyModel& model, const CaptionLossOptions& options,
                                      double baseline) {
  std::vector<double> expected(static_cast<std::size_t>(model.store.flat_size()), 0);
  for (const auto& choices : model.all_choices()) {
    const Outcome out = run(model, choices, options, baseline);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += out.probability * out.gradient[i];
  }
  return expected;
}

}  // namespace

TEST_CASE("the expectation of the estimator is the exact gradient of the bound, for any baseline") {
  TinyModel model;
  const CaptionLossOptions options = estimator(1, 0);
  // The bound as a cost: sum_s p(s | a) (-log p(y | s, a)).
  const auto exact = test::numeric_gradient(model.store, [&] {
    double cost = 0, total = 0;
    for (const auto& choices : model.all_choices()) {
      const Outcome out = run(model, choices, options, 0);
      cost += out.probability * out.nll;
      total += out.probability;
    }
    REQUIRE(std::abs(total - 1) < 1e-12);
    return cost;
  });
  CHECK(test::norm(exact) > 0.1);
  CHECK(test::largest_difference(expected_gradient(model, options, 0), exact) < 1e-7);
  CHECK(test::largest_difference(expected_gradient(model, options, 3.7), exact) < 1e-7);
  // The score part is not decoration: without it the gradient of the bound is another.
  CHECK(test::largest_difference(expected_gradient(model, estimator(0, 0), 0), exact) > 1e-2);
}

TEST_CASE("the entropy bonus is the gradient of the entropy along the sampled choices") {
  TinyModel model;
  const double lambda_e = 0.3;
  std::vector<double> probability;
  for (const auto& choices : model.all_choices())
    probability.push_back(run(model, choices, estimator(0, 0), 0).probability);
  const auto exact = test::numeric_gradient(model.store, [&] {
    double cost = 0;
    std::size_t s = 0;
    for (const auto& choices : model.all_choices())
      cost -= lambda_e * probability[s++] * run(model, choices, estimator(0, 0), 0).entropy;
    return cost;
  });
  auto with = expected_gradient(model, estimator(0, lambda_e), 0);
  const auto without = expected_gradient(model, estimator(0, 0), 0);
  for (std::size_t i = 0; i < with.size(); ++i) with[i] -= without[i];
  CHECK(test::norm(exact) > 0.01);
  CHECK(test::largest_difference(with, exact) < 1e-7);
}

TEST_CASE("a caption's gradient does not depend on the batch it is in") {
  TinyModel model;
  const CaptionLossOptions options = estimator(0.5, 0.01);
  const std::vector<int> choices{2, 0, 1};
  const Outcome alone = run(model, choices, options, 1.5);
  // Three copies: the mean over captions is the caption itself.
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  Tensor features({3, kRegions, kFeatures});
  for (Index i = 0; i < features.size(); ++i)
    features[i] = model.features[i % model.features.size()];
  ForcedChooser chooser(choices);
  const std::vector<std::vector<int>> captions(3, model.captions[0]);
  ShardLoss loss(tape, *model.decoder, tape.constant(features.view()),
                 pack_captions(captions, kBos, kEos), options, {.batch_captions = 3}, &chooser);
  loss.backward(1.5);
  const auto three = test::parameter_gradients(tape, model.store);
  for (std::size_t i = 0; i < three.size(); ++i)
    REQUIRE(std::abs(three[i] - alone.gradient[i]) < 1e-10);
}

TEST_CASE("where the coin says expectation, training is plain soft back-propagation") {
  TinyModel model;
  CaptionLossOptions hard = estimator(1, 0);
  hard.hard.expectation_share = 1;
  CaptionLossOptions soft = hard;
  soft.selection = SelectionKind::kSoft;
  std::vector<std::vector<Real>> gradients;
  for (const CaptionLossOptions& options : {hard, soft}) {
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.store.views());
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1});
    loss.backward(0.7);
    gradients.push_back(test::parameter_gradients(tape, model.store));
  }
  CHECK(gradients[0] == gradients[1]);
}

TEST_CASE("the coin is tossed for every caption, or once a batch") {
  Index soft = 0;
  for (std::uint64_t update = 0; update < 2000; ++update) {
    const RandomKey key{1, Stream::kAttention, update, 0};
    const TrainingChooser image(key, TrainingChooser::Coin::kImage, 0.5, 4);
    for (const bool expectation : image.expectation()) soft += expectation;
    const TrainingChooser batch(key, TrainingChooser::Coin::kBatch, 0.5, 4);
    for (const bool expectation : batch.expectation())
      REQUIRE(expectation == batch.expectation()[0]);
  }
  CHECK(std::abs(static_cast<double>(soft) / 8000 - 0.5) < 0.02);
}

TEST_CASE("the baseline starts at the first batch's mean reward") {
  RewardBaseline baseline;
  baseline.update(40, 0.9);
  CHECK(baseline.value == Approx(40));
  baseline.update(30, 0.9);
  CHECK(baseline.value == Approx(39));
}

}  // namespace saccade
