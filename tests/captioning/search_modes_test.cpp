// Diverse beam search against a plain version here that uses teacher-forced probabilities, and the
// alternatives of beam search against enumeration. Built in float and double.
#include "captioning/learning/objectives/policy_loss.h"
#include "captioning/model/search/word_scores.h"
#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"
#include "tests/support/test_tape.h"

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

// Several captions that are drawn per image, and the same draws again by teacher forcing.
namespace saccade {
namespace {

using namespace test;

SearchOptions drawing(const std::string& selection, Index samples) {
  SearchOptions options{.mode = SearchMode::kSample, .max_length = 6, .seed = 3};
  if (selection == "hard") options.regime = Regime::kSample;
  options.samples = samples;
  options.allowed_words = AllowedWords::kAll;
  return options;
}

TinyModel model_with(const std::string& selection) {
  AttentionConfig attention;
  attention.selection = selection;
  TinyModel model(11, 7, attention);
  model.set_eos_bias(0.5);
  return model;
}

}  // namespace

TEST_CASE("replaying drawn captions gives the log p that the search recorded") {
  for (const std::string selection : {"soft", "hard"}) {
    const TinyModel model = model_with(selection);
    constexpr Index kImages = 5, kSamples = 4;
    const Tensor features = random_features(kImages, 6, 3, 2);
    const auto decoded = model.search(features, drawing(selection, kSamples));
    REQUIRE(decoded.size() == kImages * kSamples);
    std::vector<DrawnCaption> drawn;
    for (const DecodedCaption& caption : decoded) drawn.push_back(drawn_caption(caption));
    test::TestTape tape(model.store.views());
    const PolicyLoss loss(tape, *model.decoder,
                          model.decoder->prepare(tape, tape.constant(features.view()), 1), drawn,
                          {selection});
    Index finished = 0;
    for (std::size_t c = 0; c < decoded.size(); ++c) {
      const DecodedCaption& caption = decoded[c];
      finished += caption.finished;
      CHECK((caption.finished || caption.words.size() == 6));
      const double cut = caption.finished ? 0 : caption.last.log_prob;
      CHECK(loss.word_log_probs()[c] == Approx(caption.log_prob + cut).margin(1e-4));
      CHECK(drawn[c].regions.size() == (selection == "hard" ? drawn[c].words.size() : 0U));
      double regions = 0;
      for (std::size_t t = 0; t < drawn[c].regions.size(); ++t) {
        const DecodedWord& word = t < caption.words.size() ? caption.words[t] : caption.last;
        regions += std::log(word.map.weights[static_cast<std::size_t>(word.map.chosen)]);
      }
      CHECK(loss.region_log_probs()[c] == Approx(regions).margin(1e-4));
    }
    CHECK(finished > 0);
    CHECK(finished < kImages * kSamples);
  }
}

TEST_CASE("a sample depends neither on the other images nor on the number of samples") {
  const TinyModel model = model_with("hard");
  const Tensor features = random_features(5, 6, 3, 2);
  const auto all = model.search(features, drawing("hard", 4));
  const auto fewer = model.search(rows_of(features, 2, 3), drawing("hard", 2), 2);
  bool differ = false;
  for (std::size_t image = 0; image < 3; ++image) {
    for (std::size_t s = 0; s < 2; ++s)
      CHECK(ids(fewer[image * 2 + s]) == ids(all[(image + 2) * 4 + s]));
    differ |= ids(fewer[image * 2]) != ids(fewer[image * 2 + 1]);
  }
  CHECK(differ);
}

}  // namespace saccade

// What narrows the words of a caption: rules for every search, and the most probable words when
// words are drawn.
namespace saccade {

using Catch::Matchers::Contains;
namespace {

using namespace test;

TinyModel eager_to_end() {
  TinyModel model(11, 9);
  model.set_eos_bias(3);
  return model;
}

std::vector<DecodedCaption> captions(const TinyModel& model, SearchOptions options,
                                     SearchMode mode) {
  options.mode = mode;
  options.max_length = 8;
  if (mode == SearchMode::kSample) options.samples = 5;
  return model.search(random_features(6, 6, 3, 2), options);
}

// How often n-grams appear in a caption after their first time.
std::size_t repetitions(const std::vector<int>& words, std::size_t n) {
  std::set<std::vector<int>> seen;
  std::size_t out = 0;
  for (std::size_t i = 0; i + n <= words.size(); ++i)
    out += !seen.insert({words.begin() + static_cast<std::ptrdiff_t>(i),
                         words.begin() + static_cast<std::ptrdiff_t>(i + n)})
                .second;
  return out;
}

constexpr SearchMode kModes[] = {SearchMode::kBeam, SearchMode::kGreedy, SearchMode::kSample};

}  // namespace

TEST_CASE("no caption ends before its least length") {
  const TinyModel model = eager_to_end();
  for (const SearchMode mode : kModes) {
    CAPTURE(enum_name(mode));
    const auto free = captions(model, {}, mode);
    CHECK(std::any_of(free.begin(), free.end(), [](const auto& c) { return c.words.size() < 4; }));
    for (const DecodedCaption& caption : captions(model, {.rules = {.min_length = 4}}, mode))
      CHECK(caption.words.size() >= 4);
  }
  CHECK_THROWS_WITH(captions(model, {.rules = {.min_length = 9}}, SearchMode::kGreedy),
                    Contains("search.min_length 9 is more than search.max_length 8"));
}

TEST_CASE("no n-gram appears twice") {
  TinyModel model(11, 9);
  model.set_eos_bias(-9);
  for (const SearchMode mode : kModes)
    for (const Index n : {1, 2, 3}) {
      CAPTURE(enum_name(mode), n);
      std::size_t before = 0;
      for (const DecodedCaption& caption : captions(model, {}, mode))
        before += repetitions(ids(caption), static_cast<std::size_t>(n));
      CHECK(before > 0);
      for (const DecodedCaption& caption :
           captions(model, {.rules = {.no_repeat_ngram = n}}, mode)) {
        CHECK(repetitions(ids(caption), static_cast<std::size_t>(n)) == 0);
        // There are five words: if none may appear twice, the sixth can only be <eos>.
        CHECK(caption.words.size() <= (n == 1 ? 5U : 8U));
      }
    }
}

TEST_CASE("a forbidden word is never chosen and keeps its share of the probability") {
  TinyModel model(11, 9);
  model.set_eos_bias(-2);
  for (const SearchMode mode : kModes) {
    CAPTURE(enum_name(mode));
    const auto free = captions(model, {}, mode);
    REQUIRE_FALSE(free[0].words.empty());
    const int word = free[0].words[0].id;
    const auto without = captions(model, {.rules = {.forbidden = {word}}}, mode);
    for (const DecodedCaption& caption : without)
      for (const DecodedWord& decoded : caption.words) CHECK(decoded.id != word);
  }
  Tensor logits({1, 6});
  for (Index v = 0; v < 6; ++v) logits[v] = static_cast<Real>(v) / 2;
  const Tensor kept(logits.shape(), logits.span());
  Tensor same(kept.shape(), kept.span());
  WordScores free(same.view(), kSpecial), narrowed(logits.view(), kSpecial);
  narrowed.forbid(0, 5);
  CHECK(free.best(0, 1)[0].place == 5);
  CHECK(narrowed.best(0, 1)[0].place == 4);
  CHECK(narrowed.log_prob(0, 4) == free.log_prob(0, 4));
}

TEST_CASE("words are drawn from the most probable ones, in proportion to their probabilities") {
  // Probabilities of the words 4 to 8: 0.4, 0.3, 0.15, 0.1, 0.05. All others have none.
  const std::vector<double> p{0.4, 0.3, 0.15, 0.1, 0.05};
  const auto drawn = [&](const WordScores::Draw& from) {
    Tensor logits({1, 9});
    std::fill_n(logits.data(), 4, Real{-40});
    for (std::size_t i = 0; i < p.size(); ++i)
      logits[static_cast<Index>(i) + 4] = static_cast<Real>(std::log(p[i]));
    WordScores scores(logits.view(), kSpecial);
    // Not even 0 draws a word without probability.
    if (from.top_k == 2) CHECK(scores.draw(0, from, 0) == 4);
    std::map<int, double> shares;
    for (int i = 0; i < 2000; ++i) shares[scores.draw(0, from, (i + 0.5) / 2000)] += 1.0 / 2000;
    return shares;
  };
  const auto expect = [](const std::map<int, double>& shares, const std::vector<double>& wanted) {
    CHECK(shares.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      CHECK(shares.at(static_cast<int>(i) + 4) == Approx(wanted[i]).margin(0.002));
  };
  expect(drawn({}), p);
  expect(drawn({.top_k = 2}), {0.4 / 0.7, 0.3 / 0.7});
  expect(drawn({.top_k = 99}), p);
  expect(drawn({.top_p = 0.39}), {1});
  expect(drawn({.top_p = 0.75}), {0.4 / 0.85, 0.3 / 0.85, 0.15 / 0.85});
  // top_p is a share of what top_k left: 0.4 / 0.7 is below 0.6.
  expect(drawn({.top_k = 2, .top_p = 0.6}), {0.4 / 0.7, 0.3 / 0.7});
  expect(drawn({.temperature = 1e-9, .top_p = 0.5}), {1});
}

}  // namespace saccade
