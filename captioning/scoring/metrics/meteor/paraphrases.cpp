#include "captioning/scoring/metrics/meteor/paraphrases.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "captioning/scoring/metrics/meteor/gzip.h"
#include "captioning/scoring/metrics/meteor/word_table.h"
#include "core/base/digest.h"
#include "core/base/error.h"

namespace saccade::meteor {

namespace {

constexpr std::size_t kFirstSlots = 1 << 10;  // a power of two

void read_words(std::string_view line, std::vector<std::int32_t>& out) {
  out.clear();
  for (std::size_t begin = line.find_first_not_of(' '); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    out.push_back(java_hash(line.substr(begin, end - begin)));
    begin = line.find_first_not_of(' ', end);
  }
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Paraphrases::Paraphrases(const std::string& path, const std::unordered_set<std::int32_t>& known)
    : begins_{0}, slots_(kFirstSlots) {
  GzipLines lines(path);
  Digest digest;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::int32_t> from, to;
  const auto read = [&](const char* what, std::vector<std::int32_t>& words) {
    const auto line = lines.next();
    if (line) read_words(*line, words);
    if (!line || words.empty()) {
      throw DataError(str(lines.where(), ": ", line ? "" : "the table ends before ", what,
                          line ? " has no words" : "",
                          "; lines are probability, phrase, paraphrase"));
    }
    digest.add(*line);
  };
  const auto occurs = [&](const std::vector<std::int32_t>& words) {
    return known.empty() || std::all_of(words.begin(), words.end(),
                                        [&](std::int32_t word) { return known.contains(word); });
  };
  while (const auto probability = lines.next()) {
    if (!is_number(*probability)) {
      if (lines.count() == 1) refuse_no_table(*probability, path);
      throw DataError(str(lines.where(), ": needs a probability, got '", probability->substr(0, 40),
                          "'; lines are probability, phrase, paraphrase"));
    }
    read("the phrase", from);
    read("the paraphrase", to);
    if (!occurs(from) || !occurs(to)) continue;
    const std::uint32_t phrase = insert(from);
    pairs.emplace_back(phrase, insert(to));
  }
  if (lines.count() == 0) refuse_no_table("", path);
  name_ = str(path, " (", digest.hex(), ")");

  // A counting sort by phrase keeps the file's order within each phrase.
  offsets_.assign(begins_.size(), 0);
  for (const auto& pair : pairs) ++offsets_[pair.first + 1];
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  targets_.resize(pairs.size());
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const auto& [phrase, paraphrase] : pairs) targets_[next[phrase]++] = paraphrase;
}

std::span<const std::int32_t> Paraphrases::words_of(std::uint32_t phrase) const {
  return std::span(words_).subspan(begins_[phrase], begins_[phrase + 1] - begins_[phrase]);
}

std::span<const std::uint32_t> Paraphrases::of(std::uint32_t phrase) const {
  return std::span(targets_).subspan(offsets_[phrase], offsets_[phrase + 1] - offsets_[phrase]);
}

// Where a phrase is in the hash table, or the free place where it belongs.
std::size_t Paraphrases::slot(std::span<const std::int32_t> words) const {
  std::uint64_t hash = words.size();
  for (const std::int32_t word : words) {
    hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    if (slots_[at] == 0 || std::ranges::equal(words_of(slots_[at] - 1), words)) return at;
  }
}

std::optional<std::uint32_t> Paraphrases::find(std::span<const std::int32_t> words) const {
  const std::uint32_t entry = slots_[slot(words)];
  return entry == 0 ? std::nullopt : std::optional(entry - 1);
}

std::uint32_t Paraphrases::insert(std::span<const std::int32_t> words) {
  if (const auto known = find(words)) return *known;
  const auto phrase = static_cast<std::uint32_t>(begins_.size() - 1);
  words_.insert(words_.end(), words.begin(), words.end());
  begins_.push_back(words_.size());
  longest_ = std::max(longest_, words.size());
  if (2 * begins_.size() > slots_.size()) {
    grow();
  } else {
    slots_[slot(words)] = phrase + 1;
  }
  return phrase;
}

void Paraphrases::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::uint32_t phrase = 0; phrase + 1 < begins_.size(); ++phrase) {
    slots_[slot(words_of(phrase))] = phrase + 1;
  }
}

}  // namespace saccade::meteor
