// Hard attention's estimator against exact enumeration, in double: on a tiny grid, every sequence
// of choices is run, so the expectation of the estimated gradient is known without sampling.
#include "captioning/learning/objectives/estimator_statistics.h"
#include "tests/captioning/tiny_hard_model.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

namespace saccade::test::hard_attention_test {
namespace {

struct Outcome {
  double probability = 1;  // of the choices
  double nll = 0;          // mean over the draws
  double entropy = 0;      // summed over the words
  std::vector<Real> gradient;
};

// Runs one choice of regions for every draw of the caption.
Outcome run_draws(const TinyModel& model, const std::vector<Choices>& draws,
                  const CaptionLossOptions& options, double baseline) {
  TestTape tape(model.store.views());
  tape.set_training(true);
  ForcedObserver observer(draws);
  ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                 pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                 &observer);
  Outcome out;
  out.nll = loss.nll()[0];
  for (Index draw = 0; draw < model.steps() * model.draws(); ++draw) {
    const ConstView alpha = draw_of(loss.output(), draw).weights;
    REQUIRE(alpha.cols() == model.options());
    for (std::size_t d = 0; d < draws.size(); ++d) {
      const Real* row = alpha.row(static_cast<Index>(d));
      out.probability *= row[draws[d][static_cast<std::size_t>(draw)]];
      for (int l = 0; l < model.options(); ++l)
        if (row[l] > 0) out.entropy -= row[l] * std::log(row[l]);
    }
  }
  loss.backward(fixed(baseline));
  out.gradient = parameter_gradients(tape, model.store);
  return out;
}

Outcome run(const TinyModel& model, const Choices& choices, const CaptionLossOptions& options,
            double baseline) {
  return run_draws(model, {choices}, options, baseline);
}

// Over all choices, or over all pairs of choices where a caption is drawn twice.
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

// The value head follows the costs and not the bound. It has a test of its own.
void drop_value_head(const TinyModel& model, std::vector<double>& gradient) {
  for (const ParameterInfo& info : model.store.infos())
    if (info.name.find("decoder.value.") == 0)
      for (Index i = 0; i < info.shape.size(); ++i)
        gradient[static_cast<std::size_t>(info.offset + i)] = 0;
}

// The gradient of sum_s p(s | a) cost(s), with the cost that the likelihood defines; to compare
// with step kComparedStep.
std::vector<double> exact_gradient(TinyModel& model, CaptionLossOptions options) {
  options.hard.samples = 1;
  options.hard.baseline = BaselineKind::kNone;
  return numeric_gradient(
      model.store,
      [&] {
        double cost = 0;
        for (const Choices& choices : model.all_choices()) {
          const Outcome out = run(model, choices, options, 0);
          cost += out.probability * out.nll;
        }
        return cost;
      },
      kComparedStep);
}

}  // namespace

TEST_CASE("every estimator's expectation is the exact gradient, whatever baseline and reward") {
  for (const HardLikelihood likelihood : {HardLikelihood::kChoice, HardLikelihood::kMarginal})
    for (const auto& baseline : enum_table(BaselineKind{})) {
      TinyModel model(baseline.value);
      CaptionLossOptions options = estimator(1, 0);
      options.hard.likelihood = likelihood;
      options.hard.baseline = baseline.value;
      if (baseline.value == BaselineKind::kLeaveOneOut) options.hard.samples = 2;
      auto exact = exact_gradient(model, options);
      CHECK(norm(exact) > 0.1);
      for (const RewardKind reward : {RewardKind::kSum, RewardKind::kToGo}) {
        options.hard.reward = reward;
        INFO(enum_name(likelihood) << ", " << baseline.name << ", " << enum_name(reward));
        auto expected = expected_gradient(model, options, 3.7);
        drop_value_head(model, expected);
        CHECK(largest_difference(expected, exact, kComparedStep) < 1e-8);
      }
      // The score-function term is needed: without it the gradient is another.
      options.hard.lambda_r = 0;
      CHECK(largest_difference(expected_gradient(model, options, 0), exact, kComparedStep) > 1e-4);
    }
}

TEST_CASE(
    "estimators are right with several heads, a sentinel, monotonic order, and draws in every "
    "layer") {
  struct Form {
    HardForm form;
    std::string decoder;
    const char* name;
    BaselineKind baseline = BaselineKind::kEma;
  };
  const Form forms[] = {{{.heads = 2}, "lstm", "two heads, one draw each"},
                        {{.heads = 2, .sentinel = true}, "lstm", "two heads and a sentinel"},
                        {{.sentinel = true}, "lstm", "a sentinel"},
                        {{.sentinel = true}, "updown", "a sentinel of updown"},
                        {{.monotonic = true}, "lstm", "monotonic"},
                        {{.monotonic = true}, "transformer", "monotonic in every layer"},
                        {{.heads = 2, .monotonic = true}, "gru", "two monotonic heads"},
                        {{}, "luong", "luong"},
                        {{}, "transformer", "a draw in every layer"},
                        {{}, "transformer", "in every layer, greedy", BaselineKind::kGreedy},
                        {{}, "transformer", "in every layer, learned", BaselineKind::kLearned}};
  for (const auto& [form, decoder, name, baseline] : forms) {
    TinyModel model(baseline, decoder, form);
    CaptionLossOptions options = estimator(1, 0);
    options.hard.baseline = baseline;
    const std::vector<double> exact = exact_gradient(model, options);
    CHECK(norm(exact) > 0.1);
    for (const RewardKind reward : {RewardKind::kSum, RewardKind::kToGo}) {
      INFO(name << ", " << enum_name(reward));
      options.hard.reward = reward;
      auto expected = expected_gradient(model, options, 3.7);
      drop_value_head(model, expected);
      CHECK(largest_difference(expected, exact, kComparedStep) < 1e-8);
    }
    INFO(name << ", without the score-function term");
    options.hard.lambda_r = 0;
    CHECK(largest_difference(expected_gradient(model, options, 0), exact, kComparedStep) > 1e-4);
  }
}

// With several heads, a sentinel or no region it counts each of these choices.
TEST_CASE("the entropy bonus is the gradient of the entropy along the sampled choices") {
  for (const HardForm& form : {HardForm{}, HardForm{.heads = 2}, HardForm{.sentinel = true},
                               HardForm{.monotonic = true}}) {
    INFO(form.heads << " " << form.sentinel << " " << form.monotonic);
    TinyModel model(BaselineKind::kEma, "lstm", form);
    const double lambda_e = 0.3;
    std::vector<double> probability;
    for (const auto& choices : model.all_choices())
      probability.push_back(run(model, choices, estimator(0, 0), 0).probability);
    const auto exact = numeric_gradient(model.store, [&] {
      double cost = 0;
      std::size_t s = 0;
      for (const auto& choices : model.all_choices())
        cost -= lambda_e * probability[s++] * run(model, choices, estimator(0, 0), 0).entropy;
      return cost;
    });
    auto with = expected_gradient(model, estimator(0, lambda_e), 0);
    const auto without = expected_gradient(model, estimator(0, 0), 0);
    for (std::size_t i = 0; i < with.size(); ++i) with[i] -= without[i];
    CHECK(norm(exact) > 0.01);
    CHECK(largest_difference(with, exact) < 1e-7);
  }
}

TEST_CASE("rows that draw and rows that take the expectation are what they are alone") {
  // Two captions of one image: the first takes given regions (or none), the second the expectation.
  class Mixed : public GlimpseObserver {
   public:
    explicit Mixed(std::vector<int> kinds) : kinds_(std::move(kinds)) {}
    bool chooses() const override { return true; }
    RegionChoice choose(const Odds& odds) override {
      if (kinds_[static_cast<std::size_t>(odds.row)] < 0) return {};
      return {.region = static_cast<int>((odds.draw + 1) % std::ssize(odds.weights)),
              .sampled = true};
    }

   private:
    std::vector<int> kinds_;  // by row; below 0: the expectation
  };
  for (const HardForm& form :
       {HardForm{}, HardForm{.heads = 2, .sentinel = true}, HardForm{.monotonic = true}}) {
    INFO(form.heads << " " << form.sentinel << " " << form.monotonic);
    const TinyModel model(BaselineKind::kEma, "lstm", form);
    const auto costs = [&](const std::vector<int>& kinds) {
      TestTape tape(model.store.views());
      Mixed observer(kinds);
      const std::vector<std::vector<int>> captions(kinds.size(), {4, 3, 5});
      Tensor features({static_cast<Index>(kinds.size()), kRegions, kFeatures});
      for (Index i = 0; i < features.size(); ++i)
        features[i] = model.features[i % model.features.size()];
      ShardLoss loss(tape, *model.decoder, tape.constant(features.view()),
                     pack_captions(captions, kBos, kEos), estimator(1, 0),
                     {.batch_captions = static_cast<Index>(kinds.size())}, &observer);
      return loss.nll();
    };
    const std::vector<double> both = costs({0, -1});
    CHECK(std::abs(both[0] - costs({0})[0]) < 1e-12);
    CHECK(std::abs(both[1] - costs({-1})[0]) < 1e-12);
    CHECK(std::abs(both[0] - both[1]) > 1e-3);
  }
}

TEST_CASE("in order, the first region is taken that is at least as likely as to go on") {
  const std::vector<Real> weights{0.3, 0.4, 0.2, 0.1,  // 0.3, then 0.4 of 0.7
                                  0.3, 0.2, 0.1, 0.4,  // none
                                  0,   0,   0,   1,    // passed all regions before
                                  0.5, 0.5, 0,   0};
  const std::vector<int> likeliest{1, 3, 3, 0};
  for (std::size_t r = 0; r < 4; ++r)
    for (const bool in_order : {false, true})
      CHECK(likeliest_region({.weights = std::span(weights).subspan(4 * r, 4),
                              .in_order = in_order}) == likeliest[r]);
}

TEST_CASE("the value head learns the expected cost from the state before each choice") {
  TinyModel model(BaselineKind::kLearned);
  CaptionLossOptions options = estimator(1, 0);
  options.hard.baseline = BaselineKind::kLearned;
  options.hard.reward = RewardKind::kToGo;
  const Choices choices{2, 0, 1};
  const Outcome out = run(model, choices, options, 0);
  const auto squares = numeric_gradient(model.store, [&] {
    TestTape tape(model.store.views());
    ForcedObserver observer({choices});
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                   &observer);
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
  // Otherwise its first costs, all of one sign, would hide the differences between choices.
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
    TestTape tape(model.store.views());
    ForcedObserver observer({{2, 0, 1}});
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                   &observer);
    loss.backward(moving);
    advantages.push_back(loss.advantages());
    CHECK(loss.advantages()[0] == Approx(loss.costs()[0] - 7));
  }
  CHECK(advantages[0] == advantages[1]);
}

// Of the words that a choice is paid for none is left: a baseline would only add noise.
TEST_CASE("a caption's last choice is not reinforced where only its own word would count it") {
  for (const auto& baseline : enum_table(BaselineKind{}))
    for (const std::vector<int>& caption : {std::vector<int>{4, 3}, {5}, {}}) {
      TinyModel model(baseline.value);
      CaptionLossOptions options = estimator(1, 0);
      options.hard.baseline = baseline.value;
      options.hard.likelihood = HardLikelihood::kMarginal;
      options.hard.reward = RewardKind::kToGo;
      options.hard.samples = baseline.value == BaselineKind::kLeaveOneOut ? 2 : 1;
      TestTape tape(model.store.views());
      ForcedObserver observer({{2, 0, 1}, {1, 1, 0}});
      ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                     pack_captions(std::vector<std::vector<int>>{caption}, kBos, kEos), options,
                     {.batch_captions = 1}, &observer);
      const auto rows = static_cast<std::size_t>(options.hard.samples);
      INFO(baseline.name << ", " << caption.size());
      // The averages see the other choices alone, each with the number of words after it.
      std::vector<Index> words;
      for (const DrawCost& cost : loss.draw_costs()) words.push_back(cost.words);
      std::vector<Index> wanted;
      for (auto left = static_cast<Index>(caption.size()); left > 0; --left)
        wanted.insert(wanted.end(), rows, left);
      CHECK(words == wanted);
      RewardBaseline moving = fixed(3.7);
      moving.by_length = {{true, 9}, {true, 2}, {true, 4}};
      loss.backward(moving);
      const std::vector<double>& advantages = loss.advantages();
      REQUIRE(advantages.size() == (caption.size() + 1) * rows);
      for (std::size_t n = 0; n < advantages.size(); ++n)
        CHECK((advantages[n] == 0) == (n >= caption.size() * rows));
      if (baseline.value == BaselineKind::kEmaPerLength && caption.size() == 2)
        CHECK(advantages[0] == Approx(loss.costs()[0] - 4));
    }
}

TEST_CASE("a caption's gradient does not depend on the batch it is in") {
  TinyModel model;
  const CaptionLossOptions options = estimator(0.5, 0.01);
  const std::vector<int> choices{2, 0, 1};
  const Outcome alone = run(model, choices, options, 1.5);
  // Of three copies, the mean over captions is the caption itself.
  TestTape tape(model.store.views());
  Tensor features({3, kRegions, kFeatures});
  for (Index i = 0; i < features.size(); ++i)
    features[i] = model.features[i % model.features.size()];
  ForcedObserver observer({choices});
  const std::vector<std::vector<int>> captions(3, model.captions[0]);
  ShardLoss loss(tape, *model.decoder, tape.constant(features.view()),
                 pack_captions(captions, kBos, kEos), options, {.batch_captions = 3}, &observer);
  loss.backward(fixed(1.5));
  const auto three = parameter_gradients(tape, model.store);
  for (std::size_t i = 0; i < three.size(); ++i)
    REQUIRE(std::abs(three[i] - alone.gradient[i]) < 1e-10);
}

TEST_CASE("if the coin chooses the expectation, training is plain back-propagation") {
  TinyModel model;
  CaptionLossOptions hard = estimator(1, 0);
  hard.hard.expectation_share = 1;
  CaptionLossOptions soft = hard;
  soft.selection = "soft";
  std::vector<std::vector<Real>> gradients;
  for (const CaptionLossOptions& options : {hard, soft}) {
    TestTape tape(model.store.views());
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1});
    loss.backward(fixed(0.7));
    gradients.push_back(parameter_gradients(tape, model.store));
  }
  CHECK(gradients[0] == gradients[1]);
}

TEST_CASE("the coin is tossed for every caption, or once per batch") {
  Index soft = 0;
  for (std::uint64_t update = 0; update < 2000; ++update) {
    const RandomKey key{1, Stream::kAttention, update, 0};
    const TrainingSampler image(key, {.coin = CoinKind::kImage, .captions = 4});
    for (const bool expectation : image.expectation()) soft += expectation;
    const TrainingSampler batch(key, {.coin = CoinKind::kBatch, .captions = 4});
    for (const bool expectation : batch.expectation())
      REQUIRE(expectation == batch.expectation()[0]);
  }
  CHECK(std::abs(static_cast<double>(soft) / 8000 - 0.5) < 0.02);
}

TEST_CASE("a moving average starts at the first batch's mean, separately for every length") {
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

TEST_CASE("the means of the estimator's statistics are those of each") {
  EstimatorMeans means;
  means.add({.expectation_share = 1,
             .advantage = 2,
             .advantage_variance = 3,
             .gradient_variance = 4,
             .distinct_cells = 5,
             .entropy = 6});
  means.add({.expectation_share = 3,
             .advantage = 6,
             .advantage_variance = 9,
             .gradient_variance = 12,
             .distinct_cells = 15,
             .entropy = 18});
  const EstimatorSums::Statistics mean = means.means();
  CHECK(std::vector{mean.expectation_share, mean.advantage, mean.advantage_variance,
                    mean.gradient_variance, mean.distinct_cells,
                    mean.entropy} == std::vector<double>{2, 4, 6, 8, 10, 12});
}

TEST_CASE("as in the authors' code, the profile arctic has no gradient of the penalty") {
  using enum CaptionLossOptions::PenaltyGradient;
  AttentionConfig attention;
  attention.selection = "hard";
  CHECK(loss_options({}, attention, {}).penalty_gradient == kOn);
  attention.hard.profile = HardProfile::kArctic;
  CHECK(loss_options({}, attention, {}).penalty_gradient == kOff);
}

}  // namespace saccade::test::hard_attention_test
