// Hard attention's estimators and the self-critical loss, for given draws, against PyTorch programs
// that were written from the papers (make_formulas.py). hard_attention_test.cpp computes what the
// estimators have as expectation.
#include "captioning/learning/objectives/policy_loss.h"
#include "tests/captioning/tiny_hard_model.h"
#include "tests/golden/formulas.h"
#include "tests/support/test_tape.h"

namespace saccade::test {
namespace {

// TinyModel with the weights of the formula.
struct FormulaModel : TinyModel {
  FormulaModel(const std::string& name, BaselineKind baseline, const std::string& kind)
      : TinyModel(baseline, kind) {
    set_formula_weights(store, name);
    features = golden_tensor(name + "/features", features.shape(), 2);
  }
};

// make_formulas.py's moving averages.
RewardBaseline averages() {
  RewardBaseline moving = fixed(3.7);
  moving.by_length = {{}, {true, 2}, {true, 4}, {true, 7}};
  return moving;
}

struct Pass {
  std::vector<double> advantages;
  std::vector<Real> gradient;
};

Pass run_choices(const FormulaModel& model, const std::vector<Choices>& draws,
                 const CaptionLossOptions& options) {
  TestTape tape(model.store.views());
  ForcedObserver observer(draws);
  ShardLoss loss(tape, *model.decoder, tape.constant(model.features.view()),
                 pack_captions(model.captions, kBos, kEos), options, {.batch_captions = 1},
                 &observer);
  Pass out;
  loss.backward(averages());
  out.advantages = loss.advantages();
  out.gradient = parameter_gradients(tape, model.store);
  return out;
}

}  // namespace

TEST_CASE("the estimators of hard attention equal the published formulas for given choices") {
  for (const HardLikelihood likelihood : {HardLikelihood::kChoice, HardLikelihood::kMarginal})
    for (const auto& reward : enum_table(RewardKind{}))
      for (const auto& baseline : enum_table(BaselineKind{})) {
        const std::string name =
            str("hard_lstm_", enum_name(likelihood), "_", reward.name, "_", baseline.name);
        CAPTURE(name);
        const FormulaModel model("hard_lstm", baseline.value, "lstm");
        CaptionLossOptions options = estimator(0.6, 0.3);
        options.hard.likelihood = likelihood;
        options.hard.reward = reward.value, options.hard.baseline = baseline.value;
        std::vector<Choices> draws{{2, 0, 1}};
        if (baseline.value == BaselineKind::kLeaveOneOut)
          draws.push_back({1, 1, 2}), options.hard.samples = 2;
        const Pass pass = run_choices(model, draws, options);
        const std::vector<Real> advantages(pass.advantages.begin(), pass.advantages.end());
        const std::vector<float> expected = golden(name + "/advantages");
        CHECK(golden_difference(expected, advantages, std::max(1.0, largest(expected))) <=
              kGoldenTolerance);
        check_formula_gradients(name + "/gradients", pass.gradient, model.store);
      }
}

TEST_CASE("the self-critical loss equals the published formula for given draws") {
  const std::vector<std::vector<int>> words{{4, 5, kEos}, {3, kEos}, {5, 5, 4}, {kEos}};
  const std::vector<std::vector<int>> regions{{2, 0, 1}, {1, 1}, {0, 2, 2}, {1}};
  const std::vector<double> rewards{0.9, 0.2, 0.4, 1.3};
  struct PolicyCase {
    const char* name;
    std::string decoder;
    std::string selection;
  };
  for (const auto& [short_name, decoder, selection] :
       {PolicyCase{"soft", "lstm", "soft"}, PolicyCase{"hard", "lstm", "hard"},
        PolicyCase{"updown", "updown", "hard"}}) {
    const std::string name = std::string("policy_") + short_name;
    CAPTURE(name);
    const FormulaModel model(name, BaselineKind::kEma, decoder);
    const Tensor features = golden_tensor(name + "/features", {2, kRegions, kFeatures}, 2);
    std::vector<DrawnCaption> captions;
    for (std::size_t c = 0; c < words.size(); ++c)
      captions.push_back({words[c], selection == "hard" ? regions[c] : std::vector<int>{}});
    TestTape tape(model.store.views());
    PolicyLoss loss(tape, *model.decoder,
                    model.decoder->prepare(tape, tape.constant(features.view()), 1), captions,
                    {selection, 0.7});
    const std::vector<Real> of_words(loss.word_log_probs().begin(), loss.word_log_probs().end()),
        of_regions(loss.region_log_probs().begin(), loss.region_log_probs().end());
    CHECK(golden_difference(name + "/words", of_words) <= kGoldenTolerance);
    if (selection == "hard")
      CHECK(golden_difference(name + "/regions", of_regions) <= kGoldenTolerance);
    std::vector<double> advantages = leave_one_out(rewards, 2);
    for (std::size_t c = 0; c < rewards.size(); ++c) advantages[c] = rewards[c] - advantages[c];
    loss.backward(advantages, 4);
    check_formula_gradients(name + "/gradients", tape, model.store);
  }
}

}  // namespace saccade::test
