#include "captioning/model/search/must_words.h"

#include <algorithm>
#include <cmath>

#include "captioning/model/search/name_objects.h"
#include "captioning/model/search/search_config.h"
#include "captioning/model/vocabulary/word_vectors.h"
#include "captioning/scoring/files/json_file.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/suggest.h"

namespace saccade {

namespace {

// The parts of a text between a separator, without white space around them.
std::vector<std::string> parts_between(const std::string& text, char separator) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    std::string part = text.substr(begin, end - begin);
    part.erase(0, std::min(part.find_first_not_of(" \t\r\n"), part.size()));
    part.erase(part.find_last_not_of(" \t\r\n") + 1);
    out.push_back(std::move(part));
    begin = end + 1;
  }
  return out;
}

// The known words with a vector, by their cosine with that of `word`, the largest first.
std::vector<std::pair<double, int>> neighbours_of(const WordVectors& vectors, Index known,
                                                  Index word) {
  const auto vector = [&](Index w) {
    return std::span(vectors.values)
        .subspan(static_cast<std::size_t>(w * vectors.width),
                 static_cast<std::size_t>(vectors.width));
  };
  const auto product = [&](Index a, Index b) {
    double sum = 0;
    for (std::size_t i = 0; i < vector(a).size(); ++i)
      sum += static_cast<double>(vector(a)[i]) * static_cast<double>(vector(b)[i]);
    return sum;
  };
  std::vector<std::pair<double, int>> out;
  for (Index w = Vocabulary::kSpecials; w < known; ++w) {
    if (!vectors.found[static_cast<std::size_t>(w)]) continue;
    const double lengths = std::sqrt(product(w, w) * product(word, word));
    if (lengths > 0) out.emplace_back(product(w, word) / lengths, static_cast<int>(w));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return out;
}

}  // namespace

std::vector<std::string> must_list(const std::string& text, const std::string& option) {
  std::vector<std::string> out = parts_between(text, ',');
  if (std::any_of(out.begin(), out.end(), [](const std::string& one) { return one.empty(); }))
    throw UsageError(str(option, " '", text,
                         "': a part between the commas is empty; write \"cat, rug\", and "
                         "\"cat|kitten\" for one of several"));
  return out;
}

ConstraintReader::ConstraintReader(const Vocabulary& vocabulary, std::string source,
                                   std::span<const NewWord> new_words)
    : vocabulary_(vocabulary), source_(std::move(source)) {
  for (const NewWord& word : new_words) new_words_.push_back(word.text);
}

std::vector<int> ConstraintReader::ids_of(const std::string& phrase) {
  std::vector<int> ids;
  if (vocabulary_.published()) {
    // Within a text, a word stands behind a space.
    const std::string text = " " + join_words(tokenize(phrase));
    for (const Index id : vocabulary_.encode_text(text)) ids.push_back(static_cast<int>(id));
    return ids;
  }
  for (const std::string& word : tokenize(phrase)) {
    for (const Index id : vocabulary_.encode({&word, 1})) ids.push_back(static_cast<int>(id));
    if (ids.back() != Vocabulary::kUnk || vocabulary_.has_pieces()) continue;
    auto at = std::find(new_words_.begin(), new_words_.end(), word);
    if (at == new_words_.end()) at = new_words_.insert(at, word);
    ids.back() = static_cast<int>(vocabulary_.size() + (at - new_words_.begin()));
  }
  return ids;
}

LexicalConstraint ConstraintReader::read(const std::string& text, Index max_length) {
  LexicalConstraint out{.text = text, .phrases = {}};
  for (const std::string& phrase : parts_between(text, '|')) {
    const std::vector<int> ids = ids_of(phrase);
    if (ids.empty())
      throw UsageError(
          str(source_, " '", text,
              "': there is no word in it; write a word or a phrase, and \"cat|kitten\" "
              "for one of several"));
    if (std::find(ids.begin(), ids.end(), Vocabulary::kUnk) != ids.end())
      throw UsageError(str(source_, ": '", phrase,
                           "' has a letter that the model cannot write; say it in other words"));
    if (std::ssize(ids) > max_length)
      throw UsageError(str(source_, ": '", phrase, "' has ", ids.size(),
                           vocabulary_.has_pieces() ? " pieces" : " words",
                           ", and search.max_length is ", max_length,
                           "; make the one shorter or "
                           "the other larger"));
    out.phrases.push_back(ids);
  }
  return out;
}

void ConstraintReader::refuse_unknown(const std::string& word) const {
  throw UsageError(str(source_, ": the model does not know '", word, "'",
                       did_you_mean(word, vocabulary_.words()),
                       "; give a file of word vectors that has it (--word-vectors FILE, such as "
                       "GloVe's), or another word"));
}

void ConstraintReader::add_unknown(MustSay& must, const std::filesystem::path& vectors) const {
  const auto first = static_cast<std::ptrdiff_t>(must.new_words.size());
  const std::span<const std::string> unknown(new_words_.begin() + first, new_words_.end());
  must.known_words = vocabulary_.size();
  if (unknown.empty()) return;
  if (vectors.empty()) {
    for (const std::string& word : unknown) {
      std::vector<std::pair<int, double>> like = like_known(word, vocabulary_);
      if (like.empty()) refuse_unknown(word);
      must.new_words.push_back(new_word(word, std::move(like), vocabulary_));
    }
    return;
  }
  std::vector<std::string> words = vocabulary_.words();
  words.insert(words.end(), unknown.begin(), unknown.end());
  const WordVectors read = read_word_vectors(vectors, Vocabulary(std::move(words)), 0);
  for (std::size_t u = 0; u < unknown.size(); ++u) {
    const Index id = must.known_words + static_cast<Index>(u);
    if (!read.found[static_cast<std::size_t>(id)])
      throw UsageError(str(source_, ": neither the model nor ", vectors.string(), " knows '",
                           unknown[u], "'; take a larger file of word vectors, or another word"));
    std::vector<std::pair<double, int>> near = neighbours_of(read, must.known_words, id);
    if (near.empty())
      throw UsageError(str(vectors.string(),
                           ": has no vector of a word that the model knows; take vectors of the "
                           "language of its captions"));
    near.resize(std::min(near.size(), kLike));
    std::vector<std::pair<int, double>> like;
    for (const auto& [cosine, known] : near)
      like.emplace_back(known, 1 / static_cast<double>(near.size()));
    must.new_words.push_back(new_word(unknown[u], std::move(like), vocabulary_));
  }
}

NewWord new_word(const std::string& text, std::vector<std::pair<int, double>> like,
                 const Vocabulary& vocabulary) {
  NewWord word{.text = text, .like = std::move(like)};
  const Index a = vocabulary.id("a"), an = vocabulary.id("an");
  if (a == Vocabulary::kUnk || an == Vocabulary::kUnk) return word;
  const bool vowel = std::string("aeiou").find(text.front()) != std::string::npos &&
                     !text.starts_with("uni") && !text.starts_with("eu");
  word.not_after = static_cast<int>(vowel ? a : an);
  return word;
}

std::shared_ptr<const std::vector<char>> word_beginnings(const Vocabulary& vocabulary) {
  if (!vocabulary.has_pieces()) return nullptr;
  auto out = std::make_shared<std::vector<char>>();
  for (Index id = 0; id < vocabulary.size(); ++id)
    out->push_back(vocabulary.begins_word(id) || tokenize(vocabulary.word(id)).empty());
  return out;
}

void check_constraints(std::span<const LexicalConstraint> constraints, Index max_length,
                       std::span<const int> forbidden, const std::string& source) {
  if (constraints.size() > kMostConstraints)
    throw UsageError(str(source, " asks for ", constraints.size(),
                         " things at once; a caption "
                         "takes at most ",
                         kMostConstraints));
  std::size_t least = 0;
  for (const LexicalConstraint& constraint : constraints) {
    std::size_t shortest = constraint.phrases[0].size();
    bool free = false;
    for (const std::vector<int>& phrase : constraint.phrases) {
      shortest = std::min(shortest, phrase.size());
      free = free || std::none_of(phrase.begin(), phrase.end(), [&](int id) {
               return std::find(forbidden.begin(), forbidden.end(), id) != forbidden.end();
             });
    }
    if (!free)
      throw UsageError(str(source, ": '", constraint.text,
                           "' is forbidden by search.forbidden; leave one of them out"));
    least += shortest;
  }
  if (static_cast<Index>(least) > max_length)
    throw UsageError(str(source, " asks for ", least, " words or pieces, and search.max_length is ",
                         max_length, "; make the one shorter or the other larger"));
}

void add_must_of_images(MustSay& must, const std::filesystem::path& file,
                        std::span<const std::string> ids, const Vocabulary& vocabulary,
                        const SearchConfig& search) {
  const JsonValue json = JsonValue::parse_file(file, "constraints of images");
  ConstraintReader reader(vocabulary, file.string(), must.new_words);
  must.of_images.resize(ids.size());
  for (const std::string& name : json.names()) {
    const auto id = std::find(ids.begin(), ids.end(), name);
    if (id == ids.end())
      throw UsageError(str(file.string(), ": the data set has no image '", name, "'",
                           did_you_mean(name, ids), "; name its images as it does"));
    std::vector<LexicalConstraint>& own =
        must.of_images[static_cast<std::size_t>(id - ids.begin())];
    const JsonValue list = json[name.c_str()];
    for (std::size_t i = 0; i < list.size(); ++i)
      own.push_back(reader.read(list.at(i).text(), search.max_length));
    std::vector<LexicalConstraint> all = must.all;
    all.insert(all.end(), own.begin(), own.end());
    check_constraints(all, search.max_length, {}, str(file.string(), ": ", name));
  }
  reader.add_unknown(must, search.word_vectors);
  must.begins_word = word_beginnings(vocabulary);
}

}  // namespace saccade
