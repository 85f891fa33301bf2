// The loss with smoothed labels, in double: its gradient is that of the cross-entropy against the
// smoothed target, which is computed here word by word from single steps. What is reported and
// rewarded is the same as without smoothing.
#include <cmath>

#include "captioning/learning/objectives/caption_loss.h"
#include "captioning/model/decoders/decoder_traits.h"
#include "tests/captioning/small_decoder.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"

namespace saccade {

namespace {

constexpr Index kVocabulary = 7;
constexpr int kBos = 1, kEos = 2;
constexpr double kSmoothing = 0.3;

struct TinyModel : test::SmallDecoder {
  std::vector<std::vector<int>> captions{{4, 3, 6}, {5}};

  TinyModel(const std::string& kind, const std::string& selection)
      : SmallDecoder(kind, selection, kVocabulary, 2) {}

  // The mean over captions of the cross-entropy against the smoothed target, summed over words: log
  // The probability of every word that can come next, times its weight.
  double smoothed_cost() const {
    double sum = 0;
    for (std::size_t c = 0; c < captions.size(); ++c) {
      Arena arena;
      Tape tape(arena);
      tape.set_parameters(store.views());
      tape.set_recording(false);
      const Tensor own = features_of(static_cast<Index>(c));
      const AttentionMemory memory = decoder->prepare(tape, tape.constant(own.view()), 1);
      std::vector<Var> state = decoder->start(tape, memory);
      std::vector<int> targets = captions[c];
      targets.push_back(kEos);
      int word = kBos;
      for (std::size_t t = 0; t < targets.size(); ++t) {
        const StepOutput step = decoder->step(tape, std::vector<int>{word}, state, memory,
                                              {.step = static_cast<Index>(t)});
        const auto logits = step.logits.value().span();
        double normalizer = 0;
        for (const Real logit : logits) normalizer += std::exp(logit);
        constexpr double kEach = kSmoothing / (kVocabulary - 2);  // without <pad> and <bos>
        for (int v = 0; v < kVocabulary; ++v) {
          const double weight =
              (v == targets[t] ? 1 - kSmoothing : 0) + (v == 0 || v == kBos ? 0 : kEach);
          sum -= weight * (logits[static_cast<std::size_t>(v)] - std::log(normalizer));
        }
        state = step.state;
        word = targets[t];
      }
    }
    return sum / static_cast<double>(captions.size());
  }

  struct Run {
    std::vector<double> nll, costs, gradient;
  };
  Run run(double smoothing) const {
    CaptionLossOptions options = loss_options({}, attention, {});
    options.doubly_stochastic = 0;
    options.label_smoothing = smoothing;
    Arena arena;
    Tape tape(arena);
    tape.set_parameters(store.views());
    ShardLoss loss(tape, *decoder, tape.constant(features.view()),
                   pack_captions(captions, kBos, kEos), options,
                   {.seed = 1, .batch_captions = static_cast<Index>(captions.size())});
    RewardBaseline moving;
    loss.backward(batch_baseline(moving, options, std::vector<const ShardLoss*>{&loss}));
    const std::vector<Real> gradient = test::parameter_gradients(tape, store);
    return {loss.nll(), loss.costs(), {gradient.begin(), gradient.end()}};
  }
};

}  // namespace

TEST_CASE("a smoothed loss has the gradient of the cross-entropy against smoothed labels") {
  for (const auto& kind : decoder_registry().rows()) {
    INFO(kind.name);
    TinyModel model(kind.name, "soft");
    const auto exact = test::numeric_gradient(model.store, [&] { return model.smoothed_cost(); });
    const TinyModel::Run smooth = model.run(kSmoothing), plain = model.run(0);
    CHECK(test::norm(exact) > 0.1);
    CHECK(test::largest_difference(exact, smooth.gradient) < 1e-7);
    CHECK(test::largest_difference(exact, plain.gradient) > 1e-2);
    CHECK(smooth.nll == plain.nll);
  }
}

TEST_CASE("smoothed labels do not change the rewards of regions") {
  const TinyModel model("lstm", "hard");
  const TinyModel::Run smooth = model.run(kSmoothing), plain = model.run(0);
  CHECK(smooth.costs == plain.costs);
  CHECK(smooth.nll == plain.nll);
  CHECK(test::largest_difference(smooth.gradient, plain.gradient) > 1e-3);
}

}  // namespace saccade
