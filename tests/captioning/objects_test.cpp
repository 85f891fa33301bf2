// The nouns of what a classifier sees, as constraints of captions.
#include <set>

#include "captioning/model/search/name_objects.h"
#include "captioning/model/search/object_nouns.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

Vocabulary words_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"<pad>", "<bos>", "<eos>", "<unk>"});
  return Vocabulary(std::move(words));
}

// The phrases that captions of one image have to say, as words; new words by their texts.
std::vector<std::set<std::string>> asked(const SearchOptions& options,
                                         const Vocabulary& vocabulary) {
  std::vector<std::set<std::string>> out;
  if (options.must.of_images.empty()) return out;
  for (const LexicalConstraint& constraint : options.must.of_images.at(0)) {
    std::set<std::string>& phrases = out.emplace_back();
    for (const std::vector<int>& phrase : constraint.phrases) {
      std::string text;
      for (const int id : phrase)
        text += (text.empty() ? "" : " ") +
                (id < vocabulary.size()
                     ? vocabulary.word(id)
                     : options.must.new_words.at(static_cast<std::size_t>(id - vocabulary.size()))
                           .text);
      phrases.insert(text);
    }
  }
  return out;
}

std::vector<std::set<std::string>> named(std::vector<SeenClass> seen, const Vocabulary& vocabulary,
                                         SearchOptions options = {.name_objects = 0.5},
                                         Index classes = kImagenetClasses) {
  name_objects(options, std::vector<std::vector<SeenClass>>{std::move(seen)}, classes, vocabulary,
               std::vector<DecodedCaption>(1));
  return asked(options, vocabulary);
}

constexpr int kTabby = 281, kTigerCat = 282, kOwl = 24, kTerrier = 180, kFly = 308;

}  // namespace

TEST_CASE("every class has at most one noun, and every noun has words of its own") {
  std::set<int> classes;
  std::set<std::string> nouns;
  for (const ObjectNoun& noun : object_nouns()) {
    CAPTURE(noun.noun);
    CHECK(nouns.insert(noun.noun).second);
    CHECK_FALSE(noun.same.empty());
    CHECK_FALSE(noun.classes.empty());
    for (const int one : noun.classes) {
      CHECK(classes.insert(one).second);
      CHECK(noun_of_class(one, kImagenetClasses) == &noun);
      CHECK(noun_of_class(one + 1, kImagenetClasses + 1) == &noun);
    }
  }
  CHECK(nouns.size() > 150);
  CHECK(noun_of_class(kOwl, kImagenetClasses)->noun == "owl");
  CHECK(noun_of_class(kTerrier, kImagenetClasses)->noun == "dog");
  CHECK(noun_of_class(0, kImagenetClasses + 1) == nullptr);
  CHECK(noun_of_word("owls")->noun == "owl");
  CHECK(noun_of_word("xylophone") == nullptr);
  CHECK(noun_of_class(kFly, kImagenetClasses) == nullptr);  // "a bird flies" names no fly
}

TEST_CASE("classes of one noun count together in a window, and not across windows") {
  const Vocabulary words = words_of({"cat", "kitten", "dog"});
  CHECK(named({{kTabby, 0.3F, 2}, {kTigerCat, 0.3F, 2}}, words) ==
        std::vector<std::set<std::string>>{{"cat", "kitten"}});
  CHECK(named({{kTabby, 0.3F, 1}, {kTigerCat, 0.3F, 2}}, words).empty());
  CHECK(named({{kTabby, 0.6F, 1}, {kTerrier, 0.7F, 3}}, words) ==
        std::vector<std::set<std::string>>{{"dog"}, {"cat", "kitten"}});
  CHECK(named({{kTabby + 1, 0.9F, 0}}, words, {.name_objects = 0.5}, kImagenetClasses + 1) ==
        std::vector<std::set<std::string>>{{"cat", "kitten"}});
}

TEST_CASE("a noun that the vocabulary lacks is a new word like its relative, if that is known") {
  const Vocabulary words = words_of({"a", "an", "bird", "dog"});
  SearchOptions options{.name_objects = 0.5};
  name_objects(options, std::vector<std::vector<SeenClass>>{{{kOwl, 0.9F, 0}}, {}},
               kImagenetClasses, words, std::vector<DecodedCaption>(2));
  CHECK(asked(options, words) == std::vector<std::set<std::string>>{{"owl"}});
  REQUIRE(options.must.new_words.size() == 1);
  CHECK(options.must.known_words == words.size());
  CHECK(options.must.new_words[0].like ==
        std::vector<std::pair<int, double>>{{static_cast<int>(words.id("bird")), 1.0}});
  CHECK(options.must.new_words[0].not_after == words.id("a"));
  CHECK(options.must.of_images.at(1).empty());
  CHECK(named({{kOwl, 0.9F, 0}}, words_of({"dog"})).empty());
}

TEST_CASE("what a caption names anyway is not asked for") {
  const Vocabulary words = words_of({"a", "kitten", "cat", "dog"});
  std::vector<DecodedCaption> captions(2);
  for (const char* word : {"a", "kitten"})
    captions[0].words.emplace_back().id = static_cast<int>(words.id(word));
  captions[1].words.emplace_back().id = static_cast<int>(words.id("dog"));
  const std::vector<SeenClass> cat{{kTabby, 0.9F, 0}};
  SearchOptions options{.name_objects = 0.5};
  const std::vector<double> odds =
      name_objects(options, std::vector{cat, cat}, kImagenetClasses, words, captions);
  CHECK(odds[0] == -std::numeric_limits<double>::infinity());
  CHECK(odds[1] == Approx(std::log(9)).margin(1e-5));
  CHECK(options.must.of_images.at(0).empty());
  REQUIRE(options.must.of_images.at(1).size() == 1);
  CHECK(options.must.of_images.at(1)[0].text == "cat");
}

TEST_CASE("what no rule of the search allows is not asked for") {
  const Vocabulary words = words_of({"cat", "kitten"});
  SearchOptions options{.name_objects = 0.5};
  options.rules.forbidden = {static_cast<int>(words.id("cat"))};
  CHECK(named({{kTabby, 0.9F, 0}}, words, options) ==
        std::vector<std::set<std::string>>{{"kitten"}});
  options.rules.forbidden.push_back(static_cast<int>(words.id("kitten")));
  CHECK(named({{kTabby, 0.9F, 0}}, words, options).empty());
}

}  // namespace saccade::test
