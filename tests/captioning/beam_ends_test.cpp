// Beams whose hypotheses that end are replaced, against a plain version here; prompts; and captions
// that are given instead of searched. Built in float and double.
#include "captioning/model/decoding/forced_decoding.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

namespace saccade::test::beam_ends_test {
namespace {

constexpr double kTolerance = 1e-4;
constexpr int kVocabulary = 9;
constexpr Real kNever = -std::numeric_limits<Real>::infinity();

struct Hypothesis {
  std::vector<int> words;
  double log_prob = 0, score = 0;
  bool finished = false;
};

double log_prob_of(const TinyModel& model, const Tensor& feature, std::vector<int> words,
                   bool ends) {
  const std::vector<double> costs = model.nll(feature, words);
  double sum = 0;
  for (std::size_t t = 0; t < words.size() + (ends ? 1 : 0); ++t) sum -= costs[t];
  return sum;
}

// The hypotheses that ended, the best first. At every step, the best `beam` extensions that do not
// end go on. Those that end are taken from the best `beam` of all extensions, and the best `beam`
// of them are kept. A caption of the greatest length ends, too.
std::vector<Hypothesis> plain(const TinyModel& model, const Tensor& feature,
                              const SearchOptions& options) {
  const auto beam = static_cast<std::size_t>(options.beam);
  const auto score = [&](double log_prob, Index words) {
    return log_prob / std::pow(static_cast<double>(words), options.length_normalization);
  };
  std::vector<Hypothesis> going{{}}, ended;
  for (Index length = 1; !going.empty(); ++length) {
    std::vector<Hypothesis> all;
    for (const Hypothesis& h : going) {
      all.push_back({h.words, log_prob_of(model, feature, h.words, true), 0, true});
      for (int word = kFirstWord; word < kVocabulary; ++word) {
        Hypothesis longer = h;
        longer.words.push_back(word);
        longer.log_prob = log_prob_of(model, feature, longer.words, false);
        all.push_back(longer);
      }
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.log_prob > b.log_prob; });
    going.clear();
    for (std::size_t c = 0; c < all.size(); ++c) {
      all[c].score = score(all[c].log_prob, length);
      const bool full = options.beam_end == BeamEnd::kRefillFull && ended.size() == beam;
      if (!all[c].finished && length < options.max_length) {
        if (going.size() < beam) going.push_back(all[c]);
      } else if (c < beam && !full) {
        ended.push_back(all[c]);
      }
    }
    std::stable_sort(ended.begin(), ended.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    ended.resize(std::min(ended.size(), beam));
    if (going.empty() || ended.size() < beam) continue;
    const bool longest =
        options.beam_end == BeamEnd::kRefillNever && options.length_normalization > 0;
    if (options.beam_end == BeamEnd::kRefillFull ||
        score(going[0].log_prob, longest ? options.max_length : length) <= ended.back().score)
      break;
  }
  return ended;
}

}  // namespace

TEST_CASE("a beam that is refilled finds what its plain version finds") {
  const BeamEnd end = GENERATE(BeamEnd::kRefill, BeamEnd::kRefillFull, BeamEnd::kRefillNever);
  const double exponent = GENERATE(0.0, 1.0);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const Index beam : {1, 3}) {
      CAPTURE(seed, beam, exponent, enum_name(end));
      const TinyModel model(seed, kVocabulary);
      const Tensor feature = random_features(1, 4, 3, seed);
      const SearchOptions options{.beam = beam,
                                  .alternatives = beam,
                                  .max_length = 5,
                                  .length_normalization = exponent,
                                  .beam_end = end};
      const std::vector<Hypothesis> expected = plain(model, feature, options);
      const DecodedCaption found = model.search(feature, options)[0];
      REQUIRE(found.others.size() + 1 == expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const DecodedCaption& one = k == 0 ? found : found.others[k - 1];
        CHECK(ids(one) == expected[k].words);
        CHECK(one.finished == expected[k].finished);
        CHECK(one.log_prob == Approx(expected[k].log_prob).margin(kTolerance));
        for (const DecodedWord& word : one.words) CHECK(word.map.weights.size() == 4);
      }
    }
  }
}

TEST_CASE("a prompt begins the caption and adds nothing to its log p") {
  const BeamEnd end = GENERATE(BeamEnd::kShrink, BeamEnd::kRefill);
  const std::vector<int> prompt{5, 4};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed, enum_name(end));
    const TinyModel model(seed, kVocabulary);
    const Tensor feature = random_features(1, 4, 3, seed);
    const DecodedCaption found =
        model.search(feature, {.beam = 40, .max_length = 6, .beam_end = end, .prompt = prompt})[0];
    REQUIRE(found.words.size() >= prompt.size());
    CHECK(std::equal(prompt.begin(), prompt.end(), ids(found).begin()));
    CHECK(found.log_prob == Approx(log_prob_of(model, feature, ids(found), found.finished) -
                                   log_prob_of(model, feature, prompt, false))
                                .margin(kTolerance));
  }
  // Where no word is allowed behind it, the prompt is all that is said.
  const ScriptedDecoder mute(
      kVocabulary, [](Real, Index, int, int id) { return id == kSpecial.unk ? Real{0} : kNever; });
  const Tensor feature({1, 1, 1});
  const DecodedCaption said =
      search(mute, {}, feature.view(), kSpecial,
             {.beam = 2, .max_length = 6, .beam_end = end, .prompt = prompt}, 0)[0];
  CHECK(ids(said) == prompt);
  CHECK_FALSE(said.finished);
  CHECK(said.log_prob == 0);
}

TEST_CASE("given captions keep their words and get the model's probabilities") {
  const TinyModel model(3, kVocabulary);
  const Tensor features = random_features(3, 4, 3, 3);
  const std::vector<std::vector<std::vector<int>>> captions{
      {{4, 5, 6}, {7}}, {{8, 4}}, {{}, {6, 6, 6, 5}, {5, 4}}};
  const SearchMember member{.decoder = model.decoder.get(),
                            .parameters = model.store.views(),
                            .images = EncodedValues(features.view())};
  const auto found = force_decode({&member, 1}, kSpecial, captions, {}, 0);
  REQUIRE(found.size() == captions.size());
  for (std::size_t m = 0; m < captions.size(); ++m) {
    REQUIRE(found[m].size() == captions[m].size());
    const Tensor feature = rows_of(features, static_cast<Index>(m), 1);
    for (std::size_t k = 0; k < captions[m].size(); ++k) {
      CHECK(ids(found[m][k]) == captions[m][k]);
      const std::vector<double> costs = model.nll(feature, captions[m][k]);
      for (std::size_t t = 0; t < captions[m][k].size(); ++t)
        CHECK(found[m][k].words[t].log_prob == Approx(-costs[t]).margin(kTolerance));
    }
  }
}

}  // namespace saccade::test::beam_ends_test
