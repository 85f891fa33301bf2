// Regions that are not drawn from attention's weights (Proposal), against exact enumeration, in
// double.
#include "captioning/learning/objectives/estimator_statistics.h"
#include "tests/captioning/tiny_hard_model.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

// Chooses the given regions, and reports which of them count as drawn from the weights.
class ForcedMixture : public ForcedObserver {
 public:
  // own[glimpse]: whether the region of that glimpse was drawn from the weights.
  ForcedMixture(const Choices& choices, std::vector<bool> own)
      : ForcedObserver({choices}), own_(std::move(own)) {}
  RegionChoice choose(const Odds& odds) override {
    RegionChoice choice = ForcedObserver::choose(odds);
    choice.sampled = own_[static_cast<std::size_t>(odds.draw)];
    return choice;
  }

 private:
  std::vector<bool> own_;
};

}  // namespace

TEST_CASE("only regions that were drawn from the weights are reinforced") {
  // Glimpse t is drawn from `other` with probability share[t], and otherwise from the weights. The
  // cost is expected under the mixture.
  const std::vector<double> share{0.3, 0, 0.9}, other{0.2, 0.7, 0.1};
  const auto kind = GENERATE(as<std::string>{}, "lstm", "transformer");
  TinyModel model(BaselineKind::kEma, kind);
  CaptionLossOptions options = estimator(1, 0);
  const Index glimpses = model.steps() * model.glimpses;
  const auto share_of = [&](Index glimpse) {
    return (glimpse + 1) % model.glimpses == 0
               ? share[static_cast<std::size_t>(glimpse / model.glimpses)]
               : 0;
  };
  // The probability of one glimpse's region, by where it was drawn from; `weight` is that of
  // attention.
  const auto odds = [&](Index glimpse, int region, Real weight, bool own) {
    return own ? (1 - share_of(glimpse)) * static_cast<double>(weight)
               : share_of(glimpse) * other[static_cast<std::size_t>(region)];
  };
  struct Draw {
    double probability = 1, nll = 0;
    std::vector<Real> gradient;
  };
  // `own` is that of ForcedMixture; if it is empty, the probability is that of the mixture.
  const auto draw = [&](const Choices& choices, const std::vector<bool>& own) {
    TestTape tape(model.store.views());
    ForcedMixture observer(choices, own.empty() ? std::vector<bool>(choices.size(), true) : own);
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                   &observer);
    Draw out;
    out.nll = loss.nll()[0];
    for (Index glimpse = 0; glimpse < glimpses; ++glimpse) {
      const auto at = static_cast<std::size_t>(glimpse);
      const Real weight = draw_of(loss.output(), glimpse).weights.row(0)[choices[at]];
      out.probability *= own.empty() ? odds(glimpse, choices[at], weight, true) +
                                           odds(glimpse, choices[at], weight, false)
                                     : odds(glimpse, choices[at], weight, own[at]);
    }
    loss.backward(fixed(3.7));
    out.gradient = parameter_gradients(tape, model.store);
    return out;
  };
  const auto exact = numeric_gradient(model.store, [&] {
    double cost = 0;
    for (const Choices& choices : model.all_choices()) {
      const Draw out = draw(choices, {});
      cost += out.probability * out.nll;
    }
    return cost;
  });
  CHECK(norm(exact) > 0.1);
  for (const RewardKind reward : {RewardKind::kSum, RewardKind::kToGo}) {
    INFO(kind << ", " << enum_name(reward));
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
    CHECK(largest_difference(expected, exact) < 1e-8);
  }
}

TEST_CASE("a proposal gets its share of the draws, and the observer says which draws these are") {
  const std::vector<Real> shares{0, 0.25, 1}, weights{1, 0, 0, 1, 0, 0, 1, 0, 0},
      maps{0, 0, 0, 0, 0, 1, 0, 1, 0};
  const Shape shape{3, 3};
  const std::vector<Proposal> proposals{{}, {.maps = {maps.data(), shape}, .shares = shares}};
  constexpr int kDraws = 4000;
  int proposed = 0;
  for (std::uint64_t update = 0; update < kDraws; ++update) {
    TrainingSampler observer(
        {1, Stream::kAttention, update, 0},
        {.expectation_share = 0, .captions = 3, .samples = 1, .proposals = proposals});
    const auto choose = [&](Index row, Index draw) {
      return observer.choose(
          {.weights = std::span(weights).subspan(static_cast<std::size_t>(3 * row), 3),
           .row = row,
           .draw = draw});
    };
    for (Index row = 0; row < 3; ++row) {  // a glimpse without a proposal
      const RegionChoice own = choose(row, 0);
      REQUIRE((own.region == 0 && own.sampled));
    }
    const RegionChoice never = choose(0, 1), some = choose(1, 1), always = choose(2, 1);
    REQUIRE((never.region == 0 && never.sampled));
    REQUIRE((always.region == 1 && !always.sampled));
    REQUIRE((some.region == 2 ? !some.sampled : some.region == 0 && some.sampled));
    proposed += some.region == 2;
  }
  CHECK(std::abs(static_cast<double>(proposed) / kDraws - 0.25) < 0.03);
}

// The statistics of hard attention's estimator, against sums over its draws, in double.
TEST_CASE("the estimator's statistics count every head's draw, also of a sentinel or of none") {
  for (const HardForm& form : {HardForm{}, HardForm{.heads = 2}, HardForm{.sentinel = true},
                               HardForm{.monotonic = true}}) {
    INFO(form.heads << " " << form.sentinel << " " << form.monotonic);
    const TinyModel model(BaselineKind::kEma, "lstm", form);
    Choices choices;
    for (Index draw = 0; draw < model.steps() * model.draws(); ++draw)
      choices.push_back(draw % 2 == 0 ? 1 : model.options() - 1);
    TestTape tape(model.store.views());
    ForcedObserver observer({choices});
    ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                   pack_captions(model.captions, kBos, kEos), estimator(1, 0),
                   {.batch_captions = 1}, &observer);
    loss.backward(fixed(1.5));
    EstimatorSums sums;
    sums.add(loss);
    const EstimatorSums::Statistics seen = sums.statistics();

    double entropy = 0, advantage = 0;
    const double count = static_cast<double>(model.steps() * model.draws());
    for (Index draw = 0; draw < model.steps() * model.draws(); ++draw) {
      const ConstView weights = draw_of(loss.output(), draw).weights;
      REQUIRE(weights.cols() == model.options());
      for (Index l = 0; l < weights.cols(); ++l)
        if (weights[l] > 0)
          entropy -= weights[l] * std::log(weights[l]) / std::log(weights.cols()) / count;
      advantage += loss.advantages()[static_cast<std::size_t>(draw / model.draws())] / count;
    }
    CHECK(seen.expectation_share == 0);
    CHECK(std::abs(seen.entropy - entropy) < 1e-12);
    CHECK(std::abs(seen.advantage - advantage) < 1e-12);
    CHECK(seen.gradient_variance > 0);
    const std::set<int> visited(choices.begin(), choices.end());
    CHECK(std::abs(seen.distinct_cells - static_cast<double>(visited.size()) /
                                             static_cast<double>(model.steps())) < 1e-12);
  }
}

}  // namespace saccade::test
