// Hard attention's estimator against exact enumeration, in double: on a tiny grid every sequence of
// choices is run, so the expectation of the estimated gradient is known without sampling.
#include <algorithm>
#include <cmath>

#include "captioning/objectives/caption_loss.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr Index kRegions = 3, kFeatures = 2, kVocabulary = 6;
constexpr int kBos = 1, kEos = 2;

// Regions by glimpse.
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

// Chooses the given regions, and reports which of them count as drawn from the weights.
class ForcedMixture : public ForcedChooser {
 public:
  // own[glimpse]: whether the region of that glimpse was drawn from the weights.
  ForcedMixture(const Choices& choices, std::vector<bool> own)
      : ForcedChooser({choices}), own_(std::move(own)) {}
  void choose(ConstView weights, Index glimpse, std::span<int> chosen) override {
    ForcedChooser::choose(weights, glimpse, chosen);
    drawn_.assign(chosen.begin(), chosen.end());
    if (!own_[static_cast<std::size_t>(glimpse)]) std::fill(drawn_.begin(), drawn_.end(), -1);
  }
  std::span<const int> drawn(std::span<const int>) const override { return drawn_; }

 private:
  std::vector<bool> own_;
  std::vector<int> drawn_;
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
    // Larger weights than a fresh model has: the map and the words must depend on the choices.
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

struct Outcome {
  double probability = 1;  // of the choices
  double nll = 0;          // mean over the draws
  double entropy = 0;      // summed over the words
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
                  .baseline = BaselineKind::kEma,
                  .coin = CoinKind::kImage,
                  .reward = RewardKind::kSum};
  return options;
}

// A moving average that stands at one value.
RewardBaseline fixed(double value) {
  return {.all = {.started = true, .value = value}, .by_length = {}};
}

Var map_of(const SequenceOutput& output, Index glimpse, Index glimpses) {
  const auto word = static_cast<std::size_t>(glimpse / glimpses);
  return glimpses == 1 ? output.weights[word]
                       : output.layers[static_cast<std::size_t>(glimpse % glimpses)].weights[word];
}

// One choice of regions for every draw of the caption.
Outcome run_draws(const TinyModel& model, const std::vector<Choices>& draws,
                  const CaptionLossOptions& options, double baseline) {
  Arena arena;
  Tape tape(arena);
  tape.set_parameters(model.store.views());
  tape.set_training(true);
  ForcedChooser chooser(draws);
  ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                 pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                 &chooser);
  Outcome out;
  out.nll = loss.nll()[0];
  for (Index glimpse = 0; glimpse < model.steps() * model.glimpses; ++glimpse) {
    const ConstView alpha = map_of(loss.output(), glimpse, model.glimpses).value();
    for (std::size_t d = 0; d < draws.size(); ++d) {
      const Real* row = alpha.row(static_cast<Index>(d));
      out.probability *= row[draws[d][static_cast<std::size_t>(glimpse)]];
      for (Index l = 0; l < kRegions; ++l) out.entropy -= row[l] * std::log(row[l]);
    }
  }
  loss.backward(fixed(baseline));
  out.gradient = test::parameter_gradients(tape, model.store);
  return out;
}

Outcome run(const TinyModel& model, const Choices& choices, const CaptionLossOptions& options,
            double baseline) {
  return run_draws(model, {choices}, options, baseline);
}

// Over all choices, and over all pairs of them where a caption is drawn twice.
std::vector<double> expected_gradient(const TinyModel& model, const CaptionLossOptions& options,
                                      double baseline) {
  std::vector<std::vector<Choices>> draws;
  for (const Choices& one : model.all_choices()) {
    if (options.hard.samples == 1)
      draws.push_back({one});
    else
      for (const Choices& two : model.all_choices()) draws.push_back({one, two});
  }
  std::vector<double> expected(static_cast<std::size_t>(model.store.flat_size()), 0);
  double total = 0;
  for (const auto& draw : draws) {
    const Outcome out = run_draws(model, draw, options, baseline);
    total += out.probability;
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += out.probability * out.gradient[i];
  }
  REQUIRE(std::abs(total - 1) < 1e-12);
  return expected;
}

// The value head follows the costs, not the bound: it has a test of its own.
void drop_value_head(const TinyModel& model, std::vector<double>& gradient) {
  for (const ParameterInfo& info : model.store.infos())
    if (info.name.find("decoder.value.") == 0)
      for (Index i = 0; i < info.shape.size(); ++i)
        gradient[static_cast<std::size_t>(info.offset + i)] = 0;
}

// The gradient of sum_s p(s | a) cost(s), the cost being what the likelihood says.
std::vector<double> exact_gradient(TinyModel& model, CaptionLossOptions options) {
  options.hard.samples = 1;
  options.hard.baseline = BaselineKind::kNone;
  return test::numeric_gradient(model.store, [&] {
    double cost = 0;
    for (const Choices& choices : model.all_choices()) {
      const Outcome out = run(model, choices, options, 0);
      cost += out.probability * out.nll;
    }
    return cost;
  });
}

}  // namespace

TEST_CASE("with the choices given, the gradient is that of the likelihood") {
  TinyModel model;
  const Choices choices{2, 0, 1};
  for (const HardLikelihood likelihood : {HardLikelihood::kChoice, HardLikelihood::kMarginal}) {
    INFO(enum_name(likelihood));
    CaptionLossOptions options = estimator(0, 0);
    options.hard.likelihood = likelihood;
    const auto exact =
        test::numeric_gradient(model.store, [&] { return run(model, choices, options, 0).nll; });
    const auto given = run(model, choices, options, 0).gradient;
    for (const ParameterInfo& info : model.store.infos())
      for (Index i = 0; i < info.shape.size(); ++i) {
        const auto at = static_cast<std::size_t>(info.offset + i);
        INFO(info.name << " " << i << " " << exact[at] << " " << given[at]);
        CHECK(std::abs(exact[at] - given[at]) < 1e-8);
      }
  }
}

TEST_CASE("every estimator's expectation is the exact gradient, whatever baseline and reward") {
  for (const HardLikelihood likelihood : {HardLikelihood::kChoice, HardLikelihood::kMarginal})
    for (const auto& baseline : enum_table(BaselineKind{})) {
      TinyModel model(baseline.value);
      CaptionLossOptions options = estimator(1, 0);
      options.hard.likelihood = likelihood;
      options.hard.baseline = baseline.value;
      if (baseline.value == BaselineKind::kLeaveOneOut) options.hard.samples = 2;
      auto exact = exact_gradient(model, options);
      CHECK(test::norm(exact) > 0.1);
      for (const RewardKind reward : {RewardKind::kSum, RewardKind::kToGo}) {
        options.hard.reward = reward;
        INFO(enum_name(likelihood) << ", " << baseline.name << ", " << enum_name(reward));
        auto expected = expected_gradient(model, options, 3.7);
        drop_value_head(model, expected);
        CHECK(test::largest_difference(expected, exact) < 1e-8);
      }
      // The score part is not decoration: without it the gradient is another.
      options.hard.lambda_r = 0;
      CHECK(test::largest_difference(expected_gradient(model, options, 0), exact) > 1e-3);
    }
}

TEST_CASE("a transformer draws in every layer, and its estimators are right as well") {
  std::vector<double> exact;
  for (const BaselineKind baseline :
       {BaselineKind::kEma, BaselineKind::kGreedy, BaselineKind::kLearned}) {
    TinyModel model(baseline, DecoderKind::kTransformer);
    CaptionLossOptions options = estimator(1, 0);
    options.hard.baseline = baseline;
    // A value head has parameters of its own.
    if (exact.empty() || baseline == BaselineKind::kLearned) exact = exact_gradient(model, options);
    CHECK(test::norm(exact) > 0.1);
    for (const RewardKind reward : {RewardKind::kSum, RewardKind::kToGo}) {
      options.hard.reward = reward;
      INFO(enum_name(baseline) << ", " << enum_name(reward));
      auto expected = expected_gradient(model, options, 3.7);
      drop_value_head(model, expected);
      CHECK(test::largest_difference(expected, exact) < 1e-8);
    }
    options.hard.lambda_r = 0;
    CHECK(test::largest_difference(expected_gradient(model, options, 0), exact) > 1e-3);
  }
}

TEST_CASE("where regions are drawn from the weights or elsewhere, only the former are reinforced") {
  // Glimpse t is drawn from `other` with probability share[t], else from the weights: the cost is
  // expected under the mixture.
  const std::vector<double> share{0.3, 0, 0.9}, other{0.2, 0.7, 0.1};
  const auto kind = GENERATE(DecoderKind::kLstm, DecoderKind::kTransformer);
  TinyModel model(BaselineKind::kEma, kind);
  CaptionLossOptions options = estimator(1, 0);
  const Index glimpses = model.steps() * model.glimpses;
  const auto share_of = [&](Index glimpse) {
    return (glimpse + 1) % model.glimpses == 0
               ? share[static_cast<std::size_t>(glimpse / model.glimpses)]
               : 0;
  };
  // The probability of one glimpse's region, by where it was drawn, from the map of the weights.
  const auto odds = [&](Index glimpse, int region, Real weight, bool own) {
    return own ? (1 - share_of(glimpse)) * static_cast<double>(weight)
               : share_of(glimpse) * other[static_cast<std::size_t>(region)];
  };
  struct Draw {
    double probability = 1, nll = 0;
    std::vector<Real> gradient;
  };
  // own: as ForcedMixture's; empty: the probability is that of the mixture.
  const auto draw = [&](const Choices& choices, const std::vector<bool>& own) {
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.store.views());
    ForcedMixture chooser(choices, own.empty() ? std::vector<bool>(choices.size(), true) : own);
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                   &chooser);
    Draw out;
    out.nll = loss.nll()[0];
    for (Index glimpse = 0; glimpse < glimpses; ++glimpse) {
      const auto at = static_cast<std::size_t>(glimpse);
      const Real weight =
          map_of(loss.output(), glimpse, model.glimpses).value().row(0)[choices[at]];
      out.probability *= own.empty() ? odds(glimpse, choices[at], weight, true) +
                                           odds(glimpse, choices[at], weight, false)
                                     : odds(glimpse, choices[at], weight, own[at]);
    }
    loss.backward(fixed(3.7));
    out.gradient = test::parameter_gradients(tape, model.store);
    return out;
  };
  const auto exact = test::numeric_gradient(model.store, [&] {
    double cost = 0;
    for (const Choices& choices : model.all_choices()) {
      const Draw out = draw(choices, {});
      cost += out.probability * out.nll;
    }
    return cost;
  });
  CHECK(test::norm(exact) > 0.1);
  for (const RewardKind reward : {RewardKind::kSum, RewardKind::kToGo}) {
    INFO(enum_name(kind) << ", " << enum_name(reward));
    options.hard.reward = reward;
    std::vector<double> expected(exact.size(), 0);
    double total = 0;
    for (const Choices& choices : model.all_choices())
      for (unsigned mask = 0; mask < 1U << glimpses; ++mask) {
        std::vector<bool> own;
        for (Index glimpse = 0; glimpse < glimpses; ++glimpse)
          own.push_back((mask >> glimpse & 1U) != 0);
        const Draw out = draw(choices, own);
        total += out.probability;
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] += out.probability * static_cast<double>(out.gradient[i]);
      }
    CHECK(std::abs(total - 1) < 1e-12);
    CHECK(test::largest_difference(expected, exact) < 1e-8);
  }
}

TEST_CASE("a proposal gets its share of the draws, and tells which they are") {
  const std::vector<Real> shares{0, 0.25, 1}, weights{1, 0, 0, 1, 0, 0, 1, 0, 0},
      maps{0, 0, 0, 0, 0, 1, 0, 1, 0};
  const Shape shape{3, 3};
  const std::vector<Proposal> proposals{{}, {.maps = {maps.data(), shape}, .shares = shares}};
  constexpr int kDraws = 4000;
  int proposed = 0;
  for (std::uint64_t update = 0; update < kDraws; ++update) {
    TrainingChooser chooser(
        {1, Stream::kAttention, update, 0},
        {.expectation_share = 0, .captions = 3, .samples = 1, .proposals = proposals});
    std::vector<int> chosen(3);
    chooser.choose({weights.data(), shape}, 0, chosen);  // a glimpse without a proposal
    REQUIRE(chosen == std::vector<int>{0, 0, 0});
    REQUIRE(std::ranges::equal(chooser.drawn(chosen), chosen));
    chooser.choose({weights.data(), shape}, 1, chosen);
    REQUIRE((chosen[0] == 0 && chooser.drawn(chosen)[0] == 0));
    REQUIRE((chosen[2] == 1 && chooser.drawn(chosen)[2] == -1));
    REQUIRE((chosen[1] == 2 ? chooser.drawn(chosen)[1] == -1
                            : chosen[1] == 0 && chooser.drawn(chosen)[1] == 0));
    proposed += chosen[1] == 2;
  }
  CHECK(std::abs(static_cast<double>(proposed) / kDraws - 0.25) < 0.03);
}

TEST_CASE("the mean over the words as reward is a biased estimator, as its name in the list says") {
  TinyModel model;
  CaptionLossOptions options = estimator(1, 0);
  const auto exact = exact_gradient(model, options);
  options.hard.reward = RewardKind::kMean;
  CHECK(test::largest_difference(expected_gradient(model, options, 0), exact) > 1e-3);
}

TEST_CASE("the value head learns the expected cost from the state before each choice") {
  TinyModel model(BaselineKind::kLearned);
  CaptionLossOptions options = estimator(1, 0);
  options.hard.baseline = BaselineKind::kLearned;
  options.hard.reward = RewardKind::kToGo;
  const Choices choices{2, 0, 1};
  const Outcome out = run(model, choices, options, 0);
  const auto squares = test::numeric_gradient(model.store, [&] {
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.store.views());
    ForcedChooser chooser({choices});
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                   &chooser);
    double sum = 0;
    for (std::size_t t = 0; t < choices.size(); ++t) {
      const double miss = loss.output().values[t].value()[0] - loss.costs()[t];
      sum += miss * miss;
    }
    return sum;
  });
  for (const ParameterInfo& info : model.store.infos()) {
    if (info.name.find("value.") == std::string::npos) continue;
    for (Index i = 0; i < info.shape.size(); ++i) {
      const auto at = static_cast<std::size_t>(info.offset + i);
      CHECK(std::abs(squares[at] - out.gradient[at]) < 1e-6);
    }
  }
}

TEST_CASE("a value head that has learned nothing leaves the moving average of its length") {
  // Else its first costs, all of one sign, would drown what the choices differ by.
  TinyModel model(BaselineKind::kLearned);
  for (const ParameterInfo& info : model.store.infos())
    if (info.name.find("value.") != std::string::npos)
      std::fill_n(model.store.flat().data() + info.offset, info.shape.size(), Real{0});
  CaptionLossOptions options = estimator(1, 0);
  options.hard.reward = RewardKind::kToGo;
  RewardBaseline moving = fixed(9);
  moving.by_length = {{}, {true, 2}, {true, 4}, {true, 7}};
  std::vector<std::vector<double>> advantages;
  for (const BaselineKind kind : {BaselineKind::kEmaPerLength, BaselineKind::kLearned}) {
    options.hard.baseline = kind;
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(model.store.views());
    ForcedChooser chooser({{2, 0, 1}});
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                   &chooser);
    loss.backward(moving);
    advantages.push_back(loss.advantages());
    CHECK(loss.advantages()[0] == Approx(loss.costs()[0] - 7));
  }
  CHECK(advantages[0] == advantages[1]);
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
  ForcedChooser chooser({choices});
  const std::vector<std::vector<int>> captions(3, model.captions[0]);
  ShardLoss loss(tape, *model.decoder, tape.constant(features.view()),
                 pack_captions(captions, kBos, kEos), options, {.batch_captions = 3}, &chooser);
  loss.backward(fixed(1.5));
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
    loss.backward(fixed(0.7));
    gradients.push_back(test::parameter_gradients(tape, model.store));
  }
  CHECK(gradients[0] == gradients[1]);
}

TEST_CASE("the coin is tossed for every caption, or once a batch") {
  Index soft = 0;
  for (std::uint64_t update = 0; update < 2000; ++update) {
    const RandomKey key{1, Stream::kAttention, update, 0};
    const TrainingChooser image(key, {.coin = CoinKind::kImage, .captions = 4});
    for (const bool expectation : image.expectation()) soft += expectation;
    const TrainingChooser batch(key, {.coin = CoinKind::kBatch, .captions = 4});
    for (const bool expectation : batch.expectation())
      REQUIRE(expectation == batch.expectation()[0]);
  }
  CHECK(std::abs(static_cast<double>(soft) / 8000 - 0.5) < 0.02);
}

TEST_CASE("a moving average starts at the first batch's mean, for every length by itself") {
  RewardBaseline baseline;
  baseline.update(std::vector<DrawCost>{{30, 2}, {50, 3}}, 0.9);
  CHECK(baseline.at(BaselineKind::kEma, 2) == Approx(40));
  CHECK(baseline.at(BaselineKind::kEmaPerLength, 2) == Approx(30));
  CHECK(baseline.at(BaselineKind::kEmaPerLength, 3) == Approx(50));
  CHECK(baseline.at(BaselineKind::kEmaPerLength, 7) == Approx(40));  // not seen yet: that of all
  CHECK(baseline.at(BaselineKind::kNone, 2) == 0);
  baseline.update(std::vector<DrawCost>{{20, 2}}, 0.9);
  CHECK(baseline.at(BaselineKind::kEma, 2) == Approx(38));
  CHECK(baseline.at(BaselineKind::kEmaPerLength, 2) == Approx(29));
  CHECK(baseline.at(BaselineKind::kEmaPerLength, 3) == Approx(50));
}

}  // namespace saccade
