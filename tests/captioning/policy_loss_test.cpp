// Self-critical training's estimator against exact enumeration, in double: with a tiny vocabulary,
// grid and length, every caption and every choice of regions is run, so both the expected reward
// and the expectation of the estimated gradient are known without sampling.
#include "captioning/learning/objectives/policy_loss.h"

#include <map>
#include <tuple>

#include "captioning/model/search/search.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gradient.h"
#include "tests/support/parameter_gradients.h"
#include "tests/support/test_tape.h"

namespace saccade::policy_loss_test {
namespace {

constexpr Index kRegions = 2, kFeatures = 2;
constexpr int kVocabulary = 5, kEos = 2;

struct TinyModel {
  ParameterStore store;
  std::unique_ptr<Decoder> decoder;
  Tensor features{Shape{1, kRegions, kFeatures}};
  std::string selection;
  int glimpses;  // per word
  int draws;     // per word
  int options;   // what a draw chooses from: the regions, and the sentinel or none

  explicit TinyModel(const std::string& kind, const std::string& type = "lstm",
                     const AttentionConfig& form = {})
      : selection(kind),
        glimpses(type == "transformer" ? 2 : 1),
        draws(glimpses * static_cast<int>(form.heads)),
        options(static_cast<int>(kRegions) + (form.sentinel || form.scope == "monotonic" ? 1 : 0)) {
    AttentionConfig attention = form;
    attention.hidden = 2;
    attention.selection = selection;
    decoder = make_decoder({.type = type,
                            .hidden = 3,
                            .embedding = 2,
                            .dropout = 0.5,
                            .init_hidden = 2,
                            .layers = glimpses,
                            .heads = 1},
                           attention, {.features = kFeatures, .vocabulary = kVocabulary},
                           ParamScope(store, "decoder"));
    store.initialise(3);
    Random random({5, Stream::kTest, 0, 0});
    for (Real& value : store.flat().span()) value = static_cast<Real>(random.normal());
    for (Real& value : features.span()) value = static_cast<Real>(random.normal());
  }
};

constexpr double kTemperature = 0.7;

// Everything that can be drawn: words up to <eos>, or up to the draw after max_length words.
void extend(const DrawnCaption& head, std::size_t max_length, const TinyModel& model,
            std::vector<DrawnCaption>& all) {
  if (!head.words.empty() && (head.words.back() == kEos || head.words.size() > max_length)) {
    all.push_back(head);
    return;
  }
  const int draws = model.selection == "hard" ? model.draws : 0;
  const int ways = static_cast<int>(std::pow(model.options, draws));
  for (int word = 0; word < kVocabulary; ++word)
    for (int way = 0; way < ways; ++way) {
      DrawnCaption longer = head;
      longer.words.push_back(word);
      for (int draw = 0, rest = way; draw < draws; ++draw, rest /= model.options)
        longer.regions.push_back(rest % model.options);
      extend(longer, max_length, model, all);
    }
}

std::vector<DrawnCaption> all_captions(const TinyModel& model, std::size_t max_length) {
  std::vector<DrawnCaption> all;
  extend({}, max_length, model, all);
  return all;
}

// A number that depends on what a person would read: the words, and whether they ended. It depends
// neither on the regions nor on the word that was cut off.
double reward(const DrawnCaption& caption) {
  double sum = 0.2;
  for (std::size_t t = 0; t + 1 < caption.words.size(); ++t)
    sum += std::sin(1.7 * caption.words[t] + 2.9 * static_cast<double>(t));
  return caption.words.back() == kEos ? 1.3 * sum + 0.5 : sum;
}

struct Outcome {
  std::vector<double> probabilities;  // of the captions
  std::vector<Real> gradient;
};

enum class Dropout { kOff, kOn };

Outcome run(const TinyModel& model, const std::vector<DrawnCaption>& captions,
            const std::vector<double>& advantages, Dropout dropout = Dropout::kOff) {
  test::TestTape tape(model.store.views());
  tape.set_training(dropout == Dropout::kOn);
  const AttentionMemory memory =
      model.decoder->prepare(tape, tape.constant(model.features.view()), 1);
  PolicyLoss loss(tape, *model.decoder, memory, captions, {model.selection, kTemperature});
  Outcome out;
  for (std::size_t c = 0; c < captions.size(); ++c)
    out.probabilities.push_back(std::exp(loss.word_log_probs()[c] + loss.region_log_probs()[c]));
  if (advantages.empty()) return out;
  loss.backward(advantages, static_cast<Index>(captions.size()));
  out.gradient = test::parameter_gradients(tape, model.store);
  return out;
}

// The gradient of - E[reward], by central differences of the enumerated expectation.
std::vector<double> exact_gradient(TinyModel& model, const std::vector<DrawnCaption>& captions) {
  return test::numeric_gradient(model.store, [&] {
    const std::vector<double> p = run(model, captions, {}).probabilities;
    double expected = 0, total = 0;
    for (std::size_t c = 0; c < p.size(); ++c) {
      expected += p[c] * reward(captions[c]);
      total += p[c];
    }
    REQUIRE(std::abs(total - 1) < 1e-12);
    return -expected;
  });
}

void add(std::vector<double>& sum, const std::vector<Real>& gradient, double weight) {
  sum.resize(gradient.size(), 0);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * gradient[i];
}

}  // namespace

TEST_CASE("the estimator of one caption is unbiased if its baseline does not depend on it") {
  for (const std::string selection : {"hard", "soft"}) {
    TinyModel model(selection);
    const std::vector<DrawnCaption> captions = all_captions(model, 2);
    REQUIRE(captions.size() == (selection == "hard" ? 658U : 85U));
    const std::vector<double> p = run(model, captions, {}).probabilities;
    const std::vector<double> exact = exact_gradient(model, captions);
    CHECK(test::norm(exact) > 0.1);
    for (const double greedy : {0.0, 0.8}) {
      std::vector<double> expected;
      for (std::size_t c = 0; c < captions.size(); ++c) {
        const double advantage = reward(captions[c]) - greedy;
        add(expected, run(model, {captions[c]}, {advantage}).gradient, p[c]);
      }
      CHECK(test::largest_difference(expected, exact) < 1e-8);
    }
  }
}

TEST_CASE("two captions with each other's rewards as baselines are unbiased together") {
  TinyModel model("hard");
  const std::vector<DrawnCaption> captions = all_captions(model, 1);
  const std::vector<double> p = run(model, captions, {}).probabilities;
  std::vector<double> expected;
  for (std::size_t a = 0; a < captions.size(); ++a)
    for (std::size_t b = 0; b < captions.size(); ++b) {
      const std::vector<double> rewards{reward(captions[a]), reward(captions[b])};
      const std::vector<double> baselines = leave_one_out(rewards, 2);
      add(expected,
          run(model, {captions[a], captions[b]},
              {rewards[0] - baselines[0], rewards[1] - baselines[1]})
              .gradient,
          p[a] * p[b]);
    }
  CHECK(test::largest_difference(expected, exact_gradient(model, captions)) < 1e-8);
}

TEST_CASE("regions are part of the policy: without their term the estimator is biased") {
  TinyModel model("hard");
  const std::vector<DrawnCaption> captions = all_captions(model, 1);
  const std::vector<double> p = run(model, captions, {}).probabilities,
                            exact = exact_gradient(model, captions);
  model.selection = "argmax";  // the same replay, without the gradient of the regions
  std::vector<double> expected;
  for (std::size_t c = 0; c < captions.size(); ++c)
    add(expected, run(model, {captions[c]}, {reward(captions[c])}).gradient, p[c]);
  CHECK(test::largest_difference(expected, exact) > 1e-5);
}

// Learned with dropout, what was drawn without it may have a weight of exactly 0.
TEST_CASE("a region that dropout makes impossible has no log p and no gradient") {
  for (const std::string normalizer : {"sparsemax", "entmax15"})
    for (const std::string decoder : {"lstm", "gru", "luong", "updown"}) {
      INFO(normalizer << ", " << decoder);
      AttentionConfig form;
      form.normalizer = normalizer;
      TinyModel model("hard", decoder, form);
      // Scores that lie far apart: every map has all of its weight on one region.
      const int vector = model.store.find("decoder.attention.score.vector");
      for (Real& value : model.store.value(vector).span()) value *= Real{1e8};
      const std::vector<DrawnCaption> captions = all_captions(model, 1);
      const std::vector<double> advantages(captions.size(), 1);
      const Outcome out = run(model, captions, advantages, Dropout::kOn);
      const auto impossible = [](const std::vector<double>& probabilities) {
        return std::count(probabilities.begin(), probabilities.end(), 0);
      };
      CHECK(impossible(out.probabilities) == 0);
      CHECK(impossible(run(model, captions, {}).probabilities) > 0);  // without dropout
      model.selection = "argmax";  // the same replay, without the regions
      CHECK(run(model, captions, advantages, Dropout::kOn).gradient == out.gradient);
    }
}

TEST_CASE("leave_one_out is the mean reward of the other samples of an image") {
  const std::vector<double> rewards{1, 2, 6, 0, 0, 3};
  CHECK(leave_one_out(rewards, 3) == std::vector<double>{4, 3.5, 1.5, 1.5, 1.5, 0});
  CHECK_THROWS_AS(leave_one_out(rewards, 1), ShapeError);
  CHECK_THROWS_AS(leave_one_out(rewards, 4), ShapeError);
}

TEST_CASE("drawn captions have the model's frequencies and are replayed as they were drawn") {
  AttentionConfig heads, sentinel, monotonic;
  heads.heads = 2, heads.sentinel = true;
  sentinel.sentinel = true;
  monotonic.scope = "monotonic";
  const std::tuple<std::string, std::string, AttentionConfig> models[] = {
      {"hard", "lstm", {}},
      {"soft", "lstm", {}},
      {"hard", "transformer", {}},
      {"hard", "lstm", heads},
      {"hard", "lstm", sentinel},
      {"hard", "gru", monotonic},
      {"hard", "transformer", monotonic}};
  for (const auto& [selection, decoder, form] : models) {
    const TinyModel model(selection, decoder, form);
    constexpr Index kSamples = 20000;
    SearchOptions options{
        .mode = SearchMode::kSample, .max_length = 1, .temperature = kTemperature, .seed = 4};
    options.samples = kSamples;
    options.allowed_words = AllowedWords::kAll;
    if (selection == "hard") options.regime = Regime::kSample;
    const std::vector<DecodedCaption> decoded =
        search(*model.decoder, model.store.views(), model.features.view(), {}, options, 7);
    REQUIRE(decoded.size() == kSamples);
    const auto key = [](const DrawnCaption& caption) {
      return std::pair(caption.words, caption.regions);
    };
    std::map<decltype(key(DrawnCaption())), double> counts;
    for (const DecodedCaption& caption : decoded) ++counts[key(drawn_caption(caption))];
    const std::vector<DrawnCaption> all = all_captions(model, 1);
    const std::vector<double> p = run(model, all, {}).probabilities;
    for (std::size_t c = 0; c < all.size(); ++c) {
      const double count = counts[key(all[c])];
      const double deviation = std::sqrt(kSamples * p[c] * (1 - p[c]));
      CHECK(std::abs(count - kSamples * p[c]) < 5 * deviation + 1);
    }
  }
}

}  // namespace saccade::policy_loss_test
