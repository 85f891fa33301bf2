#include "captioning/model/search/name_objects.h"

#include <algorithm>
#include <map>
#include <optional>

#include "captioning/model/search/must_words.h"
#include "captioning/model/search/object_nouns.h"
#include "captioning/scoring/words/tokenizer.h"

namespace saccade {

namespace {

// The phrases of a noun in one vocabulary. It may add a new word to `must`.
class NounPhrases {
 public:
  NounPhrases(SearchOptions& options, const Vocabulary& vocabulary)
      : options_(options), vocabulary_(vocabulary) {}

  std::vector<std::vector<int>> of(const ObjectNoun& noun) {
    std::vector<std::vector<int>> out;
    if (auto ids = known(noun.noun))
      out.push_back(std::move(*ids));
    else if (const auto id = new_word(noun.noun))
      out.push_back({*id});
    for (const std::string& word : noun.same)
      if (auto ids = known(word)) out.push_back(std::move(*ids));
    return out;
  }

 private:
  bool allowed(const std::vector<int>& ids) const {
    const std::vector<int>& forbidden = options_.rules.forbidden;
    return !ids.empty() && std::ssize(ids) + std::ssize(options_.prompt) <= options_.max_length &&
           std::none_of(ids.begin(), ids.end(), [&](int id) {
             return id == Vocabulary::kUnk ||
                    std::find(forbidden.begin(), forbidden.end(), id) != forbidden.end();
           });
  }
  std::optional<std::vector<int>> known(const std::string& phrase) const {
    const std::vector<Index> ids =
        vocabulary_.encode_text(vocabulary_.published() ? " " + phrase : phrase);
    std::vector<int> own(ids.begin(), ids.end());
    return allowed(own) ? std::optional(std::move(own)) : std::nullopt;
  }
  std::optional<int> new_word(const std::string& word) {
    std::vector<NewWord>& words = options_.must.new_words;
    const auto id_of = [&](auto at) {
      return static_cast<int>(vocabulary_.size() + (at - words.begin()));
    };
    const auto at = std::find_if(words.begin(), words.end(),
                                 [&](const NewWord& one) { return one.text == word; });
    if (at != words.end()) return id_of(at);
    std::vector<std::pair<int, double>> like = like_known(word, vocabulary_);
    if (like.empty()) return std::nullopt;
    words.push_back({.text = word, .like = std::move(like)});
    return id_of(words.end() - 1);
  }

  SearchOptions& options_;
  const Vocabulary& vocabulary_;
};

// The nouns of some classes with the sums of their probabilities, the most probable first.
std::vector<std::pair<double, const ObjectNoun*>> nouns_of(std::span<const SeenClass> seen,
                                                           Index classes) {
  std::vector<std::pair<double, const ObjectNoun*>> out;
  for (const SeenClass& one : seen) {
    const ObjectNoun* noun = noun_of_class(one.number, classes);
    if (!noun) continue;
    const auto at =
        std::find_if(out.begin(), out.end(), [&](const auto& p) { return p.second == noun; });
    if (at == out.end())
      out.emplace_back(one.probability, noun);
    else
      at->first += static_cast<double>(one.probability);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return out;
}

}  // namespace

std::vector<std::pair<int, double>> like_known(const std::string& word,
                                               const Vocabulary& vocabulary) {
  const ObjectNoun* noun = noun_of_word(word);
  if (!noun || vocabulary.has_pieces()) return {};
  for (const std::string& one : noun->like)
    if (const Index id = vocabulary.id(one); id >= Vocabulary::kSpecials)
      return {{static_cast<int>(id), 1.0}};
  return {};
}

void name_objects(SearchOptions& options, std::span<const std::vector<SeenClass>> seen,
                  Index classes, const Vocabulary& vocabulary) {
  MustSay& must = options.must;
  NounPhrases phrases(options, vocabulary);
  must.of_images.resize(seen.size());
  must.known_words = vocabulary.size();
  if (!must.begins_word) must.begins_word = word_beginnings(vocabulary);
  for (std::size_t image = 0; image < seen.size(); ++image)
    for (const auto& [probability, noun] : nouns_of(seen[image], classes)) {
      std::vector<LexicalConstraint>& own = must.of_images[image];
      if (probability < options.name_objects || must.all.size() + own.size() >= kMostConstraints)
        break;
      if (auto said = phrases.of(*noun); !said.empty())
        own.push_back({.text = "", .phrases = std::move(said)});
    }
  const bool none = std::all_of(must.of_images.begin(), must.of_images.end(),
                                [](const auto& own) { return own.empty(); });
  if (none) must.of_images.clear();
}

}  // namespace saccade
