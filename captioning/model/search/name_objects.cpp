#include "captioning/model/search/name_objects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "captioning/model/search/must_words.h"
#include "captioning/model/search/object_nouns.h"
#include "captioning/scoring/words/tokenizer.h"

namespace saccade {

namespace {

constexpr double kSurest = 0.999;

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
    if (vocabulary_.id(word) != Vocabulary::kUnk) return std::nullopt;  // it is not allowed
    std::vector<NewWord>& words = options_.must.new_words;
    const auto id_of = [&](auto at) {
      return static_cast<int>(vocabulary_.size() + (at - words.begin()));
    };
    const auto at = std::find_if(words.begin(), words.end(),
                                 [&](const NewWord& one) { return one.text == word; });
    if (at != words.end()) return id_of(at);
    std::vector<std::pair<int, double>> like = like_known(word, vocabulary_);
    if (like.empty()) return std::nullopt;
    words.push_back(saccade::new_word(word, std::move(like), vocabulary_));
    return id_of(words.end() - 1);
  }

  SearchOptions& options_;
  const Vocabulary& vocabulary_;
};

// The nouns of what was seen, the most probable first: the sum of the probabilities of a noun's
// classes, in the window where it is largest.
std::vector<std::pair<double, const ObjectNoun*>> nouns_of(std::span<const SeenClass> seen,
                                                           Index classes) {
  std::map<std::pair<const ObjectNoun*, int>, double> sums;  // by noun and window
  for (const SeenClass& one : seen)
    if (const ObjectNoun* noun = noun_of_class(one.number, classes))
      sums[{noun, one.window}] += static_cast<double>(one.probability);
  std::map<const ObjectNoun*, double> largest;
  for (const auto& [place, sum] : sums) largest[place.first] = std::max(largest[place.first], sum);
  std::vector<std::pair<double, const ObjectNoun*>> out;
  for (const auto& [noun, probability] : largest) out.emplace_back(probability, noun);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->noun < b.second->noun;
  });
  return out;
}

// The ids of a caption: those of pieces, and of known words for new ones.
std::vector<int> ids_of(const DecodedCaption& caption) {
  std::vector<int> ids;
  for (const DecodedWord& word : caption.words) {
    if (word.pieces.empty()) ids.push_back(word.id);
    ids.insert(ids.end(), word.pieces.begin(), word.pieces.end());
  }
  return ids;
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

std::vector<double> name_objects(SearchOptions& options,
                                 std::span<const std::vector<SeenClass>> seen, Index classes,
                                 const Vocabulary& vocabulary,
                                 std::span<const DecodedCaption> captions) {
  SACCADE_CHECK(seen.size() == captions.size(), "[objects] what was seen in ", seen.size(),
                " images, and ", captions.size(), " captions");
  MustSay& must = options.must;
  NounPhrases phrases(options, vocabulary);
  must.of_images.resize(seen.size());
  must.known_words = vocabulary.size();
  if (!must.begins_word) must.begins_word = word_beginnings(vocabulary);
  std::vector<double> odds(seen.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t image = 0; image < seen.size(); ++image) {
    const std::vector<int> ids = ids_of(captions[image]);
    std::vector<LexicalConstraint>& own = must.of_images[image];
    for (const auto& [probability, noun] : nouns_of(seen[image], classes)) {
      if (probability < options.name_objects || must.all.size() + own.size() >= kMostConstraints)
        break;
      LexicalConstraint constraint{.text = noun->noun, .phrases = phrases.of(*noun)};
      if (constraint.phrases.empty() || meets(ids, constraint, must.begins_word)) continue;
      own.push_back(std::move(constraint));
      const double sure = std::min(probability, kSurest);
      odds[image] = std::max(odds[image], 0.0) + std::log(sure / (1 - sure));
    }
  }
  return odds;
}

}  // namespace saccade
