#include "captioning/model/vocabulary/vocabulary.h"

#include <algorithm>

#include "captioning/model/vocabulary/special_words.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

static_assert(kSpecialWords.size() == static_cast<std::size_t>(Vocabulary::kSpecials));
static_assert(kSpecialWords[Vocabulary::kPad] == "<pad>");
static_assert(kSpecialWords[Vocabulary::kBos] == "<bos>");
static_assert(kSpecialWords[Vocabulary::kEos] == "<eos>");
static_assert(kSpecialWords[Vocabulary::kUnk] == "<unk>");

Vocabulary::Vocabulary()
    : Vocabulary(std::vector<std::string>(kSpecialWords.begin(), kSpecialWords.end())) {}

Vocabulary::Vocabulary(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::size_t i = 0; i < kSpecialWords.size(); ++i) {
    if (i >= words_.size() || words_[i] != kSpecialWords[i]) {
      throw DataError(str("vocabulary: word ", i, " must be ", kSpecialWords[i], ", got ",
                          i < words_.size() ? "'" + words_[i] + "'" : "the end"));
    }
  }
  ids_.reserve(words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (split_words(words_[i]) != std::vector<std::string>{words_[i]}) {
      throw DataError(str("vocabulary: word ", i, " is empty, holds white space or is not UTF-8"));
    }
    if (!ids_.emplace(words_[i], static_cast<Index>(i)).second) {
      throw DataError(str("vocabulary: '", words_[i], "' is there twice"));
    }
  }
}

Vocabulary Vocabulary::count(std::span<const std::vector<std::string>> captions, Index min_count) {
  std::unordered_map<std::string, Index> counts;
  for (const auto& caption : captions) {
    for (const std::string& word : caption) ++counts[word];
  }
  for (const std::string_view word : kSpecialWords) counts.erase(std::string(word));
  std::vector<std::pair<std::string, Index>> kept;
  for (const auto& entry : counts) {
    if (entry.second >= min_count) kept.push_back(entry);
  }
  if (counts.empty()) {
    throw DataError(
        captions.empty()
            ? "vocabulary: there is no training caption to take words from; check the "
              "splits (the table of saccade data shows them)"
            : str("vocabulary: ",
                  counted(static_cast<Index>(captions.size()), "training caption has no word",
                          "training captions have no word"),
                  "; are the sentences empty?"));
  }
  if (kept.empty()) {
    throw DataError(str("vocabulary: none of ", counts.size(), " words occurs ", min_count,
                        " times; lower data.min_count (the table of saccade data shows how many "
                        "words other counts leave)"));
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> words(kSpecialWords.begin(), kSpecialWords.end());
  for (auto& entry : kept) words.push_back(std::move(entry.first));
  return Vocabulary(std::move(words));
}

Vocabulary Vocabulary::pieces(std::span<const std::vector<std::string>> captions, Index size) {
  return from_pieces(Subwords::train(captions, size).model());
}

Vocabulary Vocabulary::from_pieces(std::string model) {
  auto subwords = std::make_shared<const Subwords>(std::move(model));
  Vocabulary vocabulary(subwords->pieces());
  vocabulary.subwords_ = std::move(subwords);
  return vocabulary;
}

Vocabulary Vocabulary::published(PublishedTokens tokens) {
  Vocabulary vocabulary;
  const TokenPlan& plan = tokens.plan();
  // An end that also begins or pads is needed as what ends a caption.
  std::vector<Index> numbers{plan.pad, plan.bos, plan.eos, plan.unk};
  for (const Index role : {kPad, kBos, kUnk}) {
    Index& number = numbers[static_cast<std::size_t>(role)];
    if (number == plan.eos || (role == kUnk && number == plan.bos)) number = -1;
    if (role != kPad && number == plan.pad) numbers[kPad] = -1;
  }
  std::vector<char> taken(plan.tokens.size(), 0);
  for (const Index number : numbers)
    if (number >= 0) taken[static_cast<std::size_t>(number)] = 1;
  for (Index number = 0; number < tokens.size(); ++number) {
    if (taken[static_cast<std::size_t>(number)] != 0) continue;
    const std::string& token = plan.tokens[static_cast<std::size_t>(number)];
    numbers.push_back(number);
    vocabulary.words_.push_back(token.empty() ? str("<", number, ">") : token);
    vocabulary.ids_.emplace(vocabulary.words_.back(), vocabulary.size() - 1);
  }
  vocabulary.ids_of_numbers_.resize(plan.tokens.size());
  for (std::size_t id = 0; id < numbers.size(); ++id)
    if (numbers[id] >= 0)
      vocabulary.ids_of_numbers_[static_cast<std::size_t>(numbers[id])] = static_cast<Index>(id);
  vocabulary.numbers_ = std::move(numbers);
  vocabulary.published_ = std::make_shared<const PublishedTokens>(std::move(tokens));
  return vocabulary;
}

Index Vocabulary::id(std::string_view word) const {
  const auto found = ids_.find(std::string(word));
  return found == ids_.end() ? kUnk : found->second;
}

const std::string& Vocabulary::word(Index id) const {
  SACCADE_ASSERT(id >= 0 && id < size(), "word id ", id, " in a vocabulary of ", size());
  return words_[static_cast<std::size_t>(id)];
}

bool Vocabulary::begins_word(Index id) const {
  if (published_) return published_number(id) < 0 || published_->begins_word(published_number(id));
  return !subwords_ || word(id).starts_with(Subwords::kBegin);
}

std::vector<Index> Vocabulary::encode(std::span<const std::string> words) const {
  if (published_) return encode_text(join_words({words.begin(), words.end()}));
  std::vector<Index> out;
  out.reserve(words.size());
  for (const std::string& word : words) {
    if (!subwords_) {
      out.push_back(id(word));
    } else {
      const std::vector<Index> ids = subwords_->split(word);
      out.insert(out.end(), ids.begin(), ids.end());
    }
  }
  return out;
}

std::vector<Index> Vocabulary::encode_text(std::string_view text) const {
  if (!published_) return encode(tokenize(text));
  std::vector<Index> out = published_->encode(text);
  for (Index& number : out) number = id_of_published(number);
  return out;
}

std::vector<std::string> Vocabulary::decode(std::span<const Index> ids) const {
  if (published_) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < ids.size() && ids[begin] != kEos;) {
      std::size_t end = begin + 1;
      while (end < ids.size() && ids[end] != kEos && !begins_word(ids[end])) ++end;
      std::string word = text(ids.subspan(begin, end - begin));
      if (word.starts_with(' ')) word.erase(0, 1);
      words.push_back(std::move(word));
      begin = end;
    }
    std::erase_if(words, [](const std::string& word) { return word.empty(); });
    return words;
  }
  std::vector<std::string> out;
  for (const Index id : ids) {
    if (id == kEos) break;
    if (id == kPad || id == kBos) continue;
    const bool begins = begins_word(id);
    if (begins || out.empty()) out.emplace_back();
    const bool marked = begins && subwords_;
    out.back() += marked ? word(id).substr(Subwords::kBegin.size()) : word(id);
  }
  std::erase_if(out, [](const std::string& word) { return word.empty(); });
  return out;
}

std::string Vocabulary::text(std::span<const Index> ids) const {
  if (!published_) return join_words(decode(ids));
  std::vector<Index> numbers;
  for (const Index id : ids) {
    if (id == kEos) break;
    if (published_number(id) >= 0) numbers.push_back(published_number(id));
  }
  return published_->decode(numbers);
}

std::string Vocabulary::digest() const {
  Digest digest;
  if (published_) digest.add(published_->text());
  for (const std::string& word : words_) digest.add(word);
  return digest.hex();
}

}  // namespace saccade
