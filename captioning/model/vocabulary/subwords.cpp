#include "captioning/model/vocabulary/subwords.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>

#include "captioning/model/vocabulary/special_words.h"
#include "core/base/error.h"
#include "core/base/unicode.h"

namespace saccade {

namespace {

constexpr std::size_t kUnknown = 3;  // <unk> among kSpecialWords
static_assert(kSpecialWords[kUnknown] == "<unk>");

// The characters of a word, after the mark with which a word begins.
std::vector<std::string> characters_of(const std::string& word) {
  std::vector<std::string> out{std::string(Subwords::kBegin)};
  for (const unicode::CodePoint point : unicode::decode(word))
    unicode::append(out.emplace_back(), point);
  return out;
}

using Pair = std::pair<int, int>;

// Merges, again and again, the pair that stands side by side most often.
class Learner {
 public:
  explicit Learner(std::span<const std::vector<std::string>> captions) {
    std::map<std::string, Index> counts;
    for (const std::vector<std::string>& caption : captions)
      for (const std::string& word : caption) ++counts[word];
    std::set<std::string> characters;
    for (const auto& [word, count] : counts)
      for (std::string& character : characters_of(word)) characters.insert(std::move(character));
    characters.erase(std::string(Subwords::kBegin));
    for (const std::string_view word : kSpecialWords) add(std::string(word));
    add(std::string(Subwords::kBegin));
    for (const std::string& character : characters) add(character);
    for (const auto& [word, count] : counts) {
      Word one{.pieces = {}, .count = count};
      for (const std::string& character : characters_of(word))
        one.pieces.push_back(ids_.at(character));
      words_.push_back(std::move(one));
      for (std::size_t i = 0; i + 1 < words_.back().pieces.size(); ++i)
        change(words_.size() - 1, i, count);
    }
    for (const auto& [pair, place] : pairs_) queue_.push({place.count, pair});
  }

  std::size_t size() const { return pieces_.size(); }
  const std::vector<std::string>& pieces() const { return pieces_; }

  // Merges one pair. Returns false where no pair is left that occurs twice.
  bool merge() {
    const std::optional<Pair> best = most_frequent();
    if (!best) return false;
    const int merged = add(pieces_[static_cast<std::size_t>(best->first)] +
                           pieces_[static_cast<std::size_t>(best->second)]);
    const std::set<std::size_t> words = std::move(pairs_[*best].words);
    for (const std::size_t w : words) merge_in(w, *best, merged);
    pairs_.erase(*best);
    return true;
  }

 private:
  struct Word {
    std::vector<int> pieces;
    Index count = 0;
  };
  struct Place {
    Index count = 0;
    std::set<std::size_t> words{};  // words that have the pair, or had it
  };
  struct Candidate {
    Index count;
    Pair pair;
    // The more frequent pair is on top; of equally frequent ones, the one with the older pieces.
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  int add(const std::string& piece) {
    const auto [found, is_new] = ids_.emplace(piece, static_cast<int>(pieces_.size()));
    if (is_new) pieces_.push_back(piece);
    return found->second;
  }

  void change(std::size_t w, std::size_t i, Index by) {
    const std::vector<int>& pieces = words_[w].pieces;
    const Pair pair{pieces[i], pieces[i + 1]};
    Place& place = pairs_[pair];
    place.count += by;
    place.words.insert(w);
    if (started_) queue_.push({place.count, pair});
  }

  // Old entries of the queue hold counts that have changed since.
  std::optional<Pair> most_frequent() {
    started_ = true;
    while (!queue_.empty()) {
      const Candidate top = queue_.top();
      queue_.pop();
      const auto found = pairs_.find(top.pair);
      if (found != pairs_.end() && found->second.count == top.count && top.count >= 2)
        return top.pair;
    }
    return std::nullopt;
  }

  void merge_in(std::size_t w, const Pair& pair, int merged) {
    Word& word = words_[w];
    for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i) change(w, i, -word.count);
    std::vector<int> pieces;
    for (std::size_t i = 0; i < word.pieces.size(); ++i) {
      const bool here = i + 1 < word.pieces.size() && word.pieces[i] == pair.first &&
                        word.pieces[i + 1] == pair.second;
      pieces.push_back(here ? merged : word.pieces[i]);
      i += here ? 1 : 0;
    }
    word.pieces = std::move(pieces);
    for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i) change(w, i, word.count);
  }

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int> ids_;
  std::vector<Word> words_;
  std::map<Pair, Place> pairs_;
  std::priority_queue<Candidate> queue_;
  bool started_ = false;
};

}  // namespace

struct Subwords::Processor {
  std::vector<std::string> pieces;
  std::unordered_map<std::string, Index> ids;
};

Subwords::Subwords(std::string model)
    : model_(std::move(model)), processor_(std::make_unique<Processor>()) {
  for (std::size_t begin = 0; begin < model_.size();) {
    const std::size_t end = std::min(model_.find('\n', begin), model_.size());
    processor_->pieces.push_back(model_.substr(begin, end - begin));
    const auto id = static_cast<Index>(processor_->pieces.size()) - 1;
    processor_->ids.emplace(processor_->pieces.back(), id);
    begin = end + 1;
  }
  const std::vector<std::string>& pieces = processor_->pieces;
  if (pieces.size() <= kSpecialWords.size() ||
      !std::equal(kSpecialWords.begin(), kSpecialWords.end(), pieces.begin()) ||
      pieces[kSpecialWords.size()] != kBegin)
    throw DataError("vocabulary: not the pieces of words");
}
Subwords::~Subwords() = default;
Subwords::Subwords(Subwords&&) noexcept = default;
Subwords& Subwords::operator=(Subwords&&) noexcept = default;

Subwords Subwords::train(std::span<const std::vector<std::string>> captions, Index size) {
  Learner learner(captions);
  const auto least = static_cast<Index>(learner.size());
  if (least == static_cast<Index>(kSpecialWords.size()) + 1)
    throw DataError("vocabulary: the captions have no word");
  if (size < least)
    throw DataError(
        str("vocabulary: the captions have ", least - static_cast<Index>(kSpecialWords.size()) - 1,
            " characters, each of which is a piece; set data.bpe_size to ", least, " or more"));
  while (static_cast<Index>(learner.size()) < size && learner.merge()) {
  }
  std::string model;
  for (const std::string& piece : learner.pieces()) model += piece + "\n";
  return Subwords(std::move(model));
}

std::vector<std::string> Subwords::pieces() const { return processor_->pieces; }

// As in learning, the oldest piece that two neighbours make comes first.
std::vector<Index> Subwords::split(const std::string& word) const {
  std::vector<std::string> parts = characters_of(word);
  const auto& ids = processor_->ids;
  for (;;) {
    std::size_t where = 0;
    auto best = static_cast<Index>(processor_->pieces.size());
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ids.find(parts[i] + parts[i + 1]);
      if (found == ids.end() || found->second >= best) continue;
      best = found->second;
      where = i;
    }
    if (best == static_cast<Index>(processor_->pieces.size())) break;
    parts[where] += parts[where + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
  std::vector<Index> out;
  for (const std::string& part : parts) {
    const auto found = ids.find(part);
    out.push_back(found == ids.end() ? static_cast<Index>(kUnknown) : found->second);
  }
  return out;
}

}  // namespace saccade
