// Diverse beam search against a plain version here that uses teacher-forced probabilities, and the
// alternatives of beam search against enumeration. Built in float and double.
#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

constexpr double kTolerance = 1e-4;
constexpr int kVocabulary = 9;

struct Hypothesis {
  std::vector<int> words;
  double log_prob = 0, rank = 0;
};

// log p of a word after the words `before`.
double log_prob(const TinyModel& model, const Tensor& feature, std::vector<int> before, int word) {
  before.push_back(word);
  return -model.nll(feature, before)[before.size() - 1];
}

// The finished hypotheses, the best first, and then the best unfinished one. As in the paper, a
// group keeps at every step the best of its extensions by log p minus the Hamming penalty of this
// step.
std::vector<Hypothesis> plain(const TinyModel& model, const Tensor& feature,
                              const SearchOptions& options) {
  const auto places = static_cast<std::size_t>(options.beam / options.groups);
  std::vector<std::vector<Hypothesis>> groups(static_cast<std::size_t>(options.groups), {{}});
  std::vector<std::size_t> ended(groups.size(), 0);
  std::vector<Hypothesis> finished;
  std::vector<int> allowed{kSpecial.eos};
  for (int word = kFirstWord; word < kVocabulary; ++word) allowed.push_back(word);
  for (Index step = 0; step <= options.max_length; ++step) {
    std::map<int, int> uses;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<Hypothesis> all;
      for (const Hypothesis& h : groups[g])
        for (const int word : allowed) {
          Hypothesis longer = h;
          longer.log_prob += log_prob(model, feature, h.words, word);
          longer.rank =
              longer.log_prob - options.diversity * (uses.contains(word) ? uses[word] : 0);
          longer.words.push_back(word);
          all.push_back(longer);
        }
      std::sort(all.begin(), all.end(),
                [](const Hypothesis& a, const Hypothesis& b) { return a.rank > b.rank; });
      all.resize(std::min(all.size(), places - ended[g]));
      groups[g].clear();
      for (Hypothesis& h : all) {
        ++uses[h.words.back()];
        if (h.words.back() != kSpecial.eos) {
          groups[g].push_back(h);
          continue;
        }
        h.words.pop_back();
        finished.push_back(h);
        ++ended[g];
      }
    }
  }
  std::sort(finished.begin(), finished.end(),
            [](const Hypothesis& a, const Hypothesis& b) { return a.log_prob > b.log_prob; });
  return finished;
}

// The first `count` different hypotheses of `finished`.
std::vector<Hypothesis> distinct(const std::vector<Hypothesis>& finished, std::size_t count) {
  std::vector<Hypothesis> out;
  for (const Hypothesis& h : finished) {
    const bool known = std::any_of(out.begin(), out.end(),
                                   [&](const Hypothesis& o) { return o.words == h.words; });
    if (!known && out.size() < count) out.push_back(h);
  }
  return out;
}

void require_found(const DecodedCaption& found, const std::vector<Hypothesis>& wanted) {
  REQUIRE(found.others.size() + 1 == wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const DecodedCaption& one = k == 0 ? found : found.others[k - 1];
    CHECK(ids(one) == wanted[k].words);
    CHECK(one.finished);
    CHECK(one.log_prob == Approx(wanted[k].log_prob).margin(kTolerance));
    for (const DecodedWord& word : one.words) CHECK(word.map.weights.size() == 4);
  }
}

}  // namespace

TEST_CASE("groups extend their hypotheses in turn and avoid each other's words") {
  bool changed = false;
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const Index groups : {1, 2, 3, 6}) {
      CAPTURE(seed, groups);
      const TinyModel model(seed, kVocabulary, {}, Real{2});
      const Tensor features = random_features(3, 4, 3, seed);
      const SearchOptions options{.beam = 6,
                                  .groups = groups,
                                  .diversity = groups == 1 ? 0 : 0.8,
                                  .alternatives = 6,
                                  .max_length = 3};
      SearchOptions together = options;
      together.groups = 1;
      const std::vector<DecodedCaption> found = model.search(features, options);
      for (Index image = 0; image < 3; ++image) {
        const Tensor feature = rows_of(features, image, 1);
        const std::vector<Hypothesis> wanted = distinct(plain(model, feature, options), 6);
        if (wanted.empty()) {
          CHECK_FALSE(found[static_cast<std::size_t>(image)].finished);
          continue;
        }
        require_found(found[static_cast<std::size_t>(image)], wanted);
        const auto other = distinct(plain(model, feature, together), 6);
        changed = changed || other.size() != wanted.size() ||
                  !std::equal(other.begin(), other.end(), wanted.begin(),
                              [](const auto& a, const auto& b) { return a.words == b.words; });
      }
    }
  CHECK(changed);
}

TEST_CASE("the alternatives of a wide beam are the best of all captions") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const TinyModel model(seed);  // three words besides the special ones
    const Tensor feature = random_features(1, 4, 3, seed);
    std::vector<Hypothesis> all{{}};
    for (std::size_t i = 0; i < all.size() && all[i].words.size() < 3; ++i)
      for (int word = kFirstWord; word < 7; ++word) {
        all.push_back(all[i]);
        all.back().words.push_back(word);
      }
    for (Hypothesis& h : all)
      for (const double nll : model.nll(feature, h.words)) h.log_prob -= nll;
    std::sort(all.begin(), all.end(),
              [](const Hypothesis& a, const Hypothesis& b) { return a.log_prob > b.log_prob; });
    all.resize(5);
    CAPTURE(seed);
    require_found(model.search(feature, {.beam = 150, .alternatives = 5, .max_length = 3})[0], all);
  }
}

TEST_CASE("the strength of the penalty decides which group takes a word") {
  // Word 4 leads word 5 by 1 nat at every step. Captions end after two words.
  const ScriptedDecoder decoder(6, [](Real, Index step, int, int id) -> Real {
    if (step == 2) return id == kSpecial.eos ? 0 : -50;
    return id == 4 ? 0 : id == 5 ? -1 : -50;
  });
  const Tensor features({1, 1, 1});
  const auto captions = [&](double diversity) {
    const DecodedCaption found =
        search(decoder, {}, features.view(), kSpecial,
               {.beam = 2, .groups = 2, .diversity = diversity, .alternatives = 2}, 0)[0];
    std::vector<std::vector<int>> out{ids(found)};
    for (const DecodedCaption& other : found.others) out.push_back(ids(other));
    return out;
  };
  using Captions = std::vector<std::vector<int>>;
  CHECK(captions(0.9) == Captions{{4, 4}});
  CHECK(captions(1.1) == Captions{{4, 4}, {5, 5}});
}

TEST_CASE("a search refuses more alternatives than its beam is wide") {
  const TinyModel model(1);
  CHECK_THROWS_AS(model.search(random_features(1, 4, 3, 1), {.beam = 3, .alternatives = 4}),
                  UsageError);
}

}  // namespace saccade::test
