// Captions that have to say something, against enumeration and against the search without
// constraints. Built in float and double.
#include "captioning/model/search/must.h"

#include <set>

#include "tests/captioning/search_models.h"
#include "tests/support/catch.h"

namespace saccade::test::must_test {
namespace {

constexpr double kTolerance = 1e-4;
constexpr int kVocabulary = 8;
constexpr Index kLongest = 4;

// All captions of at most max_length of the words kFirstWord to vocabulary - 1.
std::vector<std::vector<int>> every_caption(int vocabulary, Index max_length) {
  std::vector<std::vector<int>> captions{{}};
  for (std::size_t i = 0; i < captions.size(); ++i) {
    if (std::ssize(captions[i]) == max_length) continue;
    for (int word = kFirstWord; word < vocabulary; ++word) {
      captions.push_back(captions[i]);
      captions.back().push_back(word);
    }
  }
  return captions;
}

// Whether a caption has the phrase. With `begins`, only where a word begins behind it.
bool says(const std::vector<int>& words, const std::vector<int>& phrase,
          const std::vector<char>* begins) {
  for (std::size_t at = 0; at + phrase.size() <= words.size(); ++at) {
    const std::size_t end = at + phrase.size();
    const bool whole =
        !begins || end == words.size() || (*begins)[static_cast<std::size_t>(words[end])] != 0;
    if (whole &&
        std::equal(phrase.begin(), phrase.end(), words.begin() + static_cast<std::ptrdiff_t>(at)))
      return true;
  }
  return false;
}

bool meets(const std::vector<int>& words, const std::vector<LexicalConstraint>& constraints,
           const std::vector<char>* begins = nullptr) {
  return std::all_of(
      constraints.begin(), constraints.end(), [&](const LexicalConstraint& constraint) {
        return std::any_of(constraint.phrases.begin(), constraint.phrases.end(),
                           [&](const auto& phrase) { return says(words, phrase, begins); });
      });
}

// The best of all captions that meet the constraints, by teacher forcing.
struct Best {
  std::vector<int> words;
  double log_prob = -std::numeric_limits<double>::infinity();
};
Best best_of(const TinyModel& model, const Tensor& feature, int vocabulary,
             const std::function<bool(const std::vector<int>&)>& allowed) {
  Best best;
  for (const std::vector<int>& words : every_caption(vocabulary, kLongest)) {
    if (!allowed(words)) continue;
    double log_prob = 0;
    for (const double cost : model.nll(feature, words)) log_prob -= cost;
    if (log_prob > best.log_prob) best = {words, log_prob};
  }
  return best;
}

std::vector<LexicalConstraint> constraints_of(int kind) {
  switch (kind) {
    case 0:
      return {{"a", {{4}}}};
    case 1:
      return {{"a", {{4}}}, {"b", {{7}}}};
    case 2:
      return {{"a|b", {{4}, {5}}}, {"c", {{6}}}};
    case 3:
      return {{"a b", {{4, 5}}}, {"c", {{6}}}};
    case 4:
      return {{"a b a|c", {{4, 5, 4}, {7}}}, {"b a", {{5, 4}}}};
    default:
      return {{"a a", {{4, 4}}}, {"a b", {{4, 5}}}, {"b|a a a", {{5}, {4, 4, 4}}}};
  }
}

void require_equal(const DecodedCaption& a, const DecodedCaption& b) {
  CHECK(ids(a) == ids(b));
  CHECK(a.log_prob == b.log_prob);
  CHECK(a.finished == b.finished);
  for (std::size_t t = 0; t < a.words.size(); ++t)
    CHECK(a.words[t].map.weights == b.words[t].map.weights);
}

}  // namespace

TEST_CASE("a wide beam finds the best of all captions that meet the constraints") {
  const int kind = GENERATE(range(0, 6));
  const bool pieces = GENERATE(false, true);
  // Words 5 and 7 go on with the word before.
  const auto begins =
      std::make_shared<std::vector<char>>(std::vector<char>{1, 1, 1, 1, 1, 0, 1, 0});
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(kind, pieces, seed);
    const TinyModel model(seed, kVocabulary);
    const Tensor feature = random_features(1, 4, 3, seed);
    SearchOptions options{.beam = 400, .max_length = kLongest};
    options.must.all = constraints_of(kind);
    if (pieces) options.must.begins_word = begins;
    const std::vector<char>* const kinds = pieces ? begins.get() : nullptr;
    const Best best = best_of(model, feature, kVocabulary, [&](const auto& words) {
      return meets(words, options.must.all, kinds);
    });
    const DecodedCaption found = model.search(feature, options)[0];
    CHECK(found.finished);
    CHECK(ids(found) == best.words);
    CHECK(found.log_prob == Approx(best.log_prob).margin(kTolerance));
    CHECK(found.unmet.empty());
    for (const DecodedWord& word : found.words) CHECK(word.map.weights.size() == 4);
  }
}

TEST_CASE("rules hold beside the constraints") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const TinyModel model(seed, kVocabulary);
    const Tensor feature = random_features(1, 4, 3, seed);
    SearchOptions options{.beam = 400,
                          .max_length = kLongest,
                          .rules = {.min_length = 3, .no_repeat_ngram = 1, .forbidden = {6}}};
    options.must.all = {{"a", {{4}}}, {"c|d", {{6}, {7}}}};
    const Best best = best_of(model, feature, kVocabulary, [&](const auto& words) {
      return words.size() >= 3 &&
             std::set<int>(words.begin(), words.end()).size() == words.size() &&
             !says(words, {6}, nullptr) && meets(words, options.must.all);
    });
    const DecodedCaption found = model.search(feature, options)[0];
    CHECK(ids(found) == best.words);
    CHECK(found.log_prob == Approx(best.log_prob).margin(kTolerance));
  }
}

TEST_CASE("a narrow beam meets every constraint, however improbable, or says which it does not") {
  const Index beam = GENERATE(1, 3);
  // Word 6 is as good as impossible, and captions end after any word.
  const ScriptedDecoder decoder(kVocabulary, [](Real, Index, int, int id) -> Real {
    return id == 6 ? Real{-200} : id == kSpecial.eos ? Real{1} : Real{0};
  });
  const Tensor feature({1, 1, 1});
  const auto run = [&](std::vector<LexicalConstraint> all, Index max_length,
                       std::vector<int> forbidden) {
    SearchOptions options{
        .beam = beam, .max_length = max_length, .rules = {.forbidden = std::move(forbidden)}};
    options.must.all = std::move(all);
    return search(decoder, {}, feature.view(), kSpecial, options, 0)[0];
  };
  const LexicalConstraint six{"six", {{6}}}, pair{"four six", {{4, 6}}}, five{"five", {{5}}};
  for (const auto& all : {std::vector{six}, {pair}, {six, five}, {pair, five}, {five, pair, six}}) {
    const DecodedCaption found = run(all, 5, {});
    CHECK(found.finished);
    CHECK(meets(ids(found), all));
    CHECK(found.unmet.empty());
  }
  const DecodedCaption cut = run({pair, five}, 2, {});
  CHECK(cut.unmet.size() == 1);
  const DecodedCaption barred = run({six, five}, 5, {6});
  CHECK(barred.unmet == std::vector<std::string>{"six"});
  CHECK(meets(ids(barred), {five}));
  CHECK(barred.finished);
}

TEST_CASE("a caption that ended keeps its place until a more probable one meets the constraints") {
  // "4" is less probable than "5", and then the caption ends. "5 5 4" has the better mean, but is
  // less probable than "4" when it meets the constraint.
  const ScriptedDecoder decoder(kVocabulary, [](Real, Index step, int before, int id) -> Real {
    if (before == 4) return id == kSpecial.eos ? Real{0} : Real{-20};
    if (id == 4) return step == 0 ? Real{-3} : Real{-3.5};
    return id == 5 ? Real{0} : Real{-20};
  });
  const Tensor feature({1, 1, 1});
  SearchOptions options{.beam = 1, .max_length = 4, .length_normalization = 1};
  options.must.all = {{"four", {{4}}}};
  CHECK(ids(search(decoder, {}, feature.view(), kSpecial, options, 0)[0]) == std::vector<int>{4});
  options.beam = 2;
  CHECK(ids(search(decoder, {}, feature.view(), kSpecial, options, 0)[0]).size() > 1);
}

TEST_CASE("a caption that is cut before it meets a constraint did not finish") {
  const ScriptedDecoder decoder(kVocabulary, [](Real, Index, int, int id) -> Real {
    return id == kSpecial.eos ? -std::numeric_limits<Real>::infinity() : Real{0};
  });
  const Tensor feature({1, 1, 1});
  SearchOptions options{.beam = 2, .max_length = 2};
  options.must.all = {{"four five six", {{4, 5, 6}}}};
  const DecodedCaption cut = search(decoder, {}, feature.view(), kSpecial, options, 0)[0];
  CHECK(cut.words.size() == 2);
  CHECK_FALSE(cut.finished);
  CHECK(cut.unmet.size() == 1);
}

TEST_CASE("an image without constraints has the bits of plain beam search beside others") {
  const BeamEnd end = GENERATE(BeamEnd::kShrink, BeamEnd::kRefill);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const TinyModel model(seed, 12);
    const Tensor features = random_features(5, 4, 3, seed);
    const SearchOptions plain{.max_length = 6, .beam_end = end};
    const auto free = model.search(features, plain);
    SearchOptions options = plain;
    options.must.of_images.resize(5);
    options.must.of_images[1] = {{"a", {{9}}}};
    options.must.of_images[4] = {{"a", {{10}, {9, 8}}}, {"b", {{11}}}};
    const auto bound = model.search(features, options);
    for (const std::size_t i : {0, 2, 3}) {
      CHECK(ids(bound[i]) == ids(free[i]));
      CHECK(bound[i].log_prob == Approx(free[i].log_prob).margin(kTolerance));
    }
    for (const std::size_t i : {1, 4}) {
      CHECK(meets(ids(bound[i]), options.must.of_images[i]));
      SearchOptions alone = plain;
      alone.must.all = options.must.of_images[i];
      const DecodedCaption own =
          model.search(rows_of(features, static_cast<Index>(i), 1), alone, i)[0];
      CHECK(ids(own) == ids(bound[i]));
    }
    options.must.of_images.assign(5, {});
    const auto none = model.search(features, options);
    for (std::size_t i = 0; i < free.size(); ++i) require_equal(none[i], free[i]);
  }
}

TEST_CASE("the words of a prompt count, and alternatives meet the constraints, too") {
  const TinyModel model(2, kVocabulary);
  const Tensor feature = random_features(1, 4, 3, 2);
  SearchOptions options{.beam = 4, .alternatives = 3, .max_length = 6, .prompt = {4, 5}};
  options.must.all = {{"a b", {{4, 5}}}, {"c", {{7}}}};
  const DecodedCaption found = model.search(feature, options)[0];
  REQUIRE(found.others.size() == 2);
  CHECK(meets(ids(found), options.must.all));
  for (const DecodedCaption& other : found.others) {
    CHECK(meets(ids(other), options.must.all));
    CHECK(other.log_prob <= found.log_prob);
  }
}

TEST_CASE("a new word has the mean rows of the words that it is like, and others lack it") {
  constexpr Index kKnown = 9;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const TinyModel model(seed, kKnown);
    // The same model with one word more, whose rows are means of those of words 5 and 6.
    const TinyModel larger(seed, kKnown + 1);
    const WordParameters words = model.decoder->word_parameters();
    for (std::size_t p = 0; p < model.store.count(); ++p) {
      const auto id = static_cast<int>(p);
      const ConstView from = model.store.value(id);
      const View to = const_cast<TinyModel&>(larger).store.value(id);
      if (from.shape == to.shape) {
        std::copy_n(from.data, from.size(), to.data);
        continue;
      }
      const Index width = id == words.bias ? 1 : id == words.matrix ? from.shape[0] : from.shape[1];
      const auto at = [&](const auto& table, Index word, Index i) -> auto& {
        const Index all = id == words.matrix ? table.shape[1] : width;
        return table.data[id == words.matrix ? i * all + word : word * all + i];
      };
      for (Index i = 0; i < width; ++i) {
        for (Index word = 0; word < kKnown; ++word) at(to, word, i) = at(from, word, i);
        at(to, kKnown, i) = (at(from, 5, i) + 3 * at(from, 6, i)) / 4;
      }
    }
    const Tensor features = random_features(2, 4, 3, seed);
    SearchOptions options{.beam = 3, .max_length = 6};
    options.must.of_images = {{{"owl", {{static_cast<int>(kKnown)}}}}, {}};
    const auto wanted = larger.search(rows_of(features, 0, 1), [&] {
      SearchOptions own = options;
      own.must.of_images.resize(1);
      return own;
    }())[0];
    options.must.known_words = kKnown;
    options.must.new_words = {{"owl", {{6, 0.75}, {5, 0.25}}}};
    const auto found = model.search(features, options);
    CHECK(meets(ids(found[0]), options.must.of_images[0]));
    CHECK(std::ranges::count(ids(found[0]), static_cast<int>(kKnown)) == 1);
    if (std::ranges::count(ids(wanted), static_cast<int>(kKnown)) == 1) {
      CHECK(ids(found[0]) == ids(wanted));
      CHECK(found[0].log_prob == Approx(wanted.log_prob).margin(kTolerance));
    }
    const DecodedCaption plain =
        model.search(rows_of(features, 1, 1), {.beam = 3, .max_length = 6}, 1)[0];
    CHECK(ids(found[1]) == ids(plain));
    CHECK(found[1].log_prob == Approx(plain.log_prob).margin(kTolerance));
  }
}

TEST_CASE("a new word does not stand behind the word that it must not follow") {
  constexpr int kOwl = 9;
  Index behind = 0;  // captions that would have it there
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (int article = kFirstWord; article < kOwl; ++article) {
      const TinyModel model(seed, kOwl);
      const Tensor feature = random_features(1, 4, 3, seed);
      SearchOptions options{.beam = 3, .max_length = 6};
      options.must.all = {{"owl", {{kOwl}}}};
      options.must.known_words = kOwl;
      options.must.new_words = {{"owl", {{6, 1.0}}}};
      behind += says(ids(model.search(feature, options)[0]), {article, kOwl}, nullptr);
      options.must.new_words[0].not_after = article;
      const std::vector<int> found = ids(model.search(feature, options)[0]);
      CHECK(says(found, {kOwl}, nullptr));
      CHECK_FALSE(says(found, {article, kOwl}, nullptr));
    }
  CHECK(behind > 0);
}

}  // namespace saccade::test::must_test
