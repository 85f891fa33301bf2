#include "captioning/scoring/metrics/meteor/paraphrase_index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include "captioning/scoring/metrics/meteor/gzip.h"
#include "core/base/digest.h"
#include "core/base/error.h"

namespace saccade::meteor {

namespace {

constexpr std::string_view kMagic = "saccade paraphrases 1\n";
constexpr std::uint64_t kByteOrder = 0x0102030405060708U;
constexpr std::size_t kHex = 32;              // digits of a digest
constexpr std::size_t kFirstSlots = 1 << 10;  // a power of two
constexpr std::size_t kAlign = 8;

// What an index begins with; the arrays follow in this order, each at a multiple of kAlign.
struct Header {
  std::array<char, 32> magic;
  std::array<char, kHex> check;  // the digest of all bytes behind it
  std::array<char, kHex> key, digest;
  std::uint64_t order;
  std::uint64_t text_ends, texts, lengths, narrow, wide, sources, begins, targets;  // counts
};
constexpr std::size_t kChecked = offsetof(Header, key);

std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

std::string hex_of(std::span<const std::byte> bytes,
                   void (*checked)(std::span<const std::byte>) = nullptr) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  Digest digest;
  for (std::size_t at = 0; at < bytes.size(); at += kPart) {
    const auto block = bytes.subspan(at, std::min(kPart, bytes.size() - at));
    digest.add({reinterpret_cast<const char*>(block.data()), block.size()});
    if (checked != nullptr) checked(block);
  }
  return digest.hex();
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};

// Phrases as they are met, each once, with numbers in that order.
class Phrases {
 public:
  // The number of a phrase, which is at least one word; nothing where the line has none.
  std::optional<std::uint32_t> add(std::string_view line) {
    read(line);
    if (words_of_line_.empty()) return std::nullopt;
    const std::size_t at = slot(words_of_line_);
    if (slots_[at] != 0) return slots_[at] - 1;
    words_.insert(words_.end(), words_of_line_.begin(), words_of_line_.end());
    begins_.push_back(words_.size());
    const auto number = static_cast<std::uint32_t>(count() - 1);
    slots_[at] = number + 1;
    if (2 * count() > slots_.size()) grow();
    return number;
  }
  std::size_t count() const { return begins_.size() - 1; }
  std::span<const std::uint32_t> operator[](std::uint32_t phrase) const {
    return std::span(words_).subspan(begins_[phrase], begins_[phrase + 1] - begins_[phrase]);
  }

  // Numbers the words in byte order of their texts, and gives these.
  std::vector<std::string> sort_words() {
    std::vector<std::pair<std::string, std::uint32_t>> sorted(numbers_.begin(), numbers_.end());
    numbers_.clear();
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> place(sorted.size());
    std::vector<std::string> out;
    for (auto& [text, number] : sorted) {
      place[number] = static_cast<std::uint32_t>(out.size());
      out.push_back(std::move(text));
    }
    for (std::uint32_t& word : words_) word = place[word];
    slots_.clear();  // they are of the old numbers
    return out;
  }

 private:
  void read(std::string_view line) {
    words_of_line_.clear();
    for (std::size_t begin = line.find_first_not_of(' '); begin != std::string_view::npos;) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      const std::string_view word = line.substr(begin, end - begin);
      auto known = numbers_.find(word);
      if (known == numbers_.end())
        known = numbers_.emplace(word, static_cast<std::uint32_t>(numbers_.size())).first;
      words_of_line_.push_back(known->second);
      begin = line.find_first_not_of(' ', end);
    }
  }
  // Where a phrase is in the hash table, or the free place where it belongs.
  std::size_t slot(std::span<const std::uint32_t> words) const {
    std::uint64_t hash = words.size();
    for (const std::uint32_t word : words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29;
    }
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask)
      if (slots_[at] == 0 || std::ranges::equal((*this)[slots_[at] - 1], words)) return at;
  }
  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t phrase = 0; phrase < count(); ++phrase)
      slots_[slot((*this)[phrase])] = phrase + 1;
  }

  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers_;
  std::vector<std::uint32_t> words_of_line_, words_;  // words_: of all phrases
  std::vector<std::uint64_t> begins_{0};              // of phrase i in words_
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kFirstSlots);
};

struct Table {
  Phrases phrases;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::string digest;
};

Table read_table(const std::string& path) {
  GzipLines lines(path);
  Table table;
  Digest digest;
  std::string source;  // the phrase that was read last: most have many paraphrases
  std::optional<std::uint32_t> from;
  const auto read = [&](const char* what, bool is_source) {
    const auto line = lines.next();
    const bool again = line && is_source && from && *line == source;
    const auto number = again ? from : line ? table.phrases.add(*line) : std::nullopt;
    if (!number) {
      throw DataError(str(lines.where(), ": ", line ? "" : "the table ends before ", what,
                          line ? " has no words" : "",
                          "; lines are probability, phrase, paraphrase"));
    }
    digest.add(*line);
    if (is_source && !again) source = *line;
    return *number;
  };
  while (const auto probability = lines.next()) {
    if (!is_number(*probability)) {
      if (lines.count() == 1) refuse_no_table(*probability, path);
      throw DataError(str(lines.where(), ": needs a probability, got '", probability->substr(0, 40),
                          "'; lines are probability, phrase, paraphrase"));
    }
    from = read("the phrase", true);
    table.pairs.emplace_back(*from, read("the paraphrase", false));
  }
  if (lines.count() == 0) refuse_no_table("", path);
  if (table.pairs.size() > std::numeric_limits<std::uint32_t>::max())
    throw DataError(str(path, ": has more pairs than 32 bits can number; leave some out"));
  table.digest = digest.hex();
  return table;
}

// Appends arrays to an index.
class IndexWriter {
 public:
  explicit IndexWriter(const std::string& key, const std::string& digest) {
    std::ranges::copy(kMagic, header_.magic.begin());
    header_.order = kByteOrder;
    key.copy(header_.key.data(), kHex);
    digest.copy(header_.digest.data(), kHex);
    bytes_.resize(sizeof(Header));
  }
  template <class T>
  void add(std::uint64_t Header::*count, const std::vector<T>& values) {
    header_.*count = values.size();
    const std::size_t at = bytes_.size();
    bytes_.resize(aligned(at + values.size() * sizeof(T)));
    if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size() * sizeof(T));
  }
  std::vector<std::byte> finish() {
    std::memcpy(bytes_.data(), &header_, sizeof(Header));
    hex_of(std::span<const std::byte>(bytes_).subspan(kChecked)).copy(header_.check.data(), kHex);
    std::memcpy(bytes_.data(), &header_, sizeof(Header));
    return std::move(bytes_);
  }

 private:
  Header header_{};
  std::vector<std::byte> bytes_;
};

// The phrases by their length and then by their words. The first two words are compared without a
// look at the phrases, which lie all over the memory.
std::vector<std::uint32_t> sorted_phrases(const Phrases& phrases) {
  struct Key {
    std::uint32_t length, phrase;
    std::uint64_t head;
  };
  std::vector<Key> keys;
  keys.reserve(phrases.count());
  for (std::uint32_t phrase = 0; phrase < phrases.count(); ++phrase) {
    const auto words = phrases[phrase];
    const std::uint64_t second = words.size() > 1 ? words[1] : 0;
    keys.push_back({static_cast<std::uint32_t>(words.size()), phrase,
                    (std::uint64_t{words[0]} << 32) | second});
  }
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.length != b.length) return a.length < b.length;
    if (a.head != b.head) return a.head < b.head;
    return std::ranges::lexicographical_compare(phrases[a.phrase], phrases[b.phrase]);
  });
  std::vector<std::uint32_t> out;
  out.reserve(keys.size());
  for (const Key& key : keys) out.push_back(key.phrase);
  return out;
}

}  // namespace

std::vector<std::byte> make_paraphrase_index(const std::filesystem::path& path,
                                             const std::string& key) {
  Table table = read_table(path.string());
  Phrases& phrases = table.phrases;
  IndexWriter index(key, table.digest);
  const std::vector<std::string> words = phrases.sort_words();
  std::vector<std::uint32_t> text_ends;
  std::vector<char> texts;
  for (const std::string& word : words) {
    texts.insert(texts.end(), word.begin(), word.end());
    text_ends.push_back(static_cast<std::uint32_t>(texts.size()));
  }
  index.add(&Header::text_ends, text_ends);
  index.add(&Header::texts, texts);

  const std::vector<std::uint32_t> sorted = sorted_phrases(phrases);
  std::vector<std::uint32_t> place(sorted.size()), lengths, all_words;
  for (std::uint32_t at = 0; at < sorted.size(); ++at) {
    place[sorted[at]] = at;
    const auto own = phrases[sorted[at]];
    lengths.resize(own.size() + 1, at);
    all_words.insert(all_words.end(), own.begin(), own.end());
  }
  lengths.push_back(static_cast<std::uint32_t>(sorted.size()));
  index.add(&Header::lengths, lengths);
  const bool narrow = words.size() <= std::size_t{1} + std::numeric_limits<std::uint16_t>::max();
  if (narrow)
    index.add(&Header::narrow, std::vector<std::uint16_t>(all_words.begin(), all_words.end()));
  else
    index.add(&Header::wide, all_words);

  // A stable sort by phrase keeps the file's order within each phrase.
  for (auto& [from, to] : table.pairs) from = place[from], to = place[to];
  std::ranges::stable_sort(table.pairs, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
  std::vector<std::uint32_t> sources, begins, targets;
  for (const auto& [from, to] : table.pairs) {
    if (sources.empty() || sources.back() != from) {
      sources.push_back(from);
      begins.push_back(static_cast<std::uint32_t>(targets.size()));
    }
    targets.push_back(to);
  }
  begins.push_back(static_cast<std::uint32_t>(targets.size()));
  index.add(&Header::sources, sources);
  index.add(&Header::begins, begins);
  index.add(&Header::targets, targets);
  return index.finish();
}

std::optional<ParaphraseIndex> read_paraphrase_index(std::span<const std::byte> bytes,
                                                     const std::string& key,
                                                     void (*checked)(std::span<const std::byte>)) {
  Header header{};
  std::string padded = key;
  padded.resize(kHex);
  if (bytes.size() < sizeof(Header)) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  const auto text = [](const std::array<char, kHex>& digits) {
    return std::string(digits.data(), kHex);
  };
  if (!std::string_view(header.magic.data(), header.magic.size()).starts_with(kMagic) ||
      header.order != kByteOrder || text(header.key) != padded ||
      text(header.check) != hex_of(bytes.subspan(kChecked), checked))
    return std::nullopt;
  std::size_t at = sizeof(Header);
  const auto take = [&]<class T>(std::span<const T>& part, std::uint64_t count) {
    part = {reinterpret_cast<const T*>(bytes.data() + at), count};
    at = aligned(at + count * sizeof(T));
  };
  ParaphraseIndex index;
  index.digest = text(header.digest);
  take(index.text_ends, header.text_ends);
  take(index.texts, header.texts);
  take(index.lengths, header.lengths);
  take(index.narrow, header.narrow);
  take(index.wide, header.wide);
  take(index.sources, header.sources);
  take(index.begins, header.begins);
  take(index.targets, header.targets);
  return index;
}

}  // namespace saccade::meteor
