#include "captioning/scoring/metrics/meteor/synonyms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "captioning/scoring/metrics/meteor/gzip.h"
#include "captioning/scoring/metrics/meteor/wordnet/builtin_table.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"

namespace saccade::meteor {

namespace {

// WordNet's detachment rules, in its own order (morphy(7WN)): nouns, verbs, adjectives.
struct Detachment {
  std::string_view suffix, ending;
};
constexpr std::array<Detachment, 20> kDetachments = {{
    {"s", ""},      {"ses", "s"},   {"xes", "x"},   {"zes", "z"},
    {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"},  //
    {"s", ""},      {"ies", "y"},   {"es", "e"},    {"es", ""},
    {"ed", "e"},    {"ed", ""},     {"ing", "e"},   {"ing", ""},  //
    {"er", ""},     {"est", ""},    {"er", "e"},    {"est", "e"},
}};

std::string read_file(const std::filesystem::path& path) {
  std::optional<std::string> whole = whole_file(path);
  if (!whole) throw DataError(str(path.string(), ": there is no such table of synonyms"));
  return std::move(*whole);
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

std::string_view word_of(std::string_view line) { return line.substr(0, line.find(' ')); }

// Calls use(item) for every piece of a line after its word.
template <class Use>
void for_each_item(std::string_view line, Use use) {
  for (std::size_t space = line.find(' '); space != std::string_view::npos;) {
    const std::size_t next = line.find(' ', space + 1);
    use(line.substr(space + 1, std::min(next, line.size()) - space - 1));
    space = next;
  }
}

// Whether a line is a word and, behind it, offsets of synsets and base forms.
bool is_entry(std::string_view line) {
  bool right = line.find(' ') != std::string_view::npos;
  for_each_item(line, [&](std::string_view item) {
    const bool digits =
        std::all_of(item.begin(), item.end(), [](char c) { return c >= '0' && c <= '9'; });
    right = right && !item.empty() && (digits || (item[0] == '=' && item.size() > 1));
  });
  return right;
}

void append_offsets(std::string_view line, std::vector<std::uint32_t>& out) {
  for_each_item(line, [&](std::string_view item) {
    if (item.starts_with('=')) return;
    out.emplace_back();
    std::from_chars(item.data(), item.data() + item.size(), out.back());
  });
}

}  // namespace

Synonyms::Synonyms()
    : Synonyms(inflate_gzip(builtin_table(), "the built-in table"), "WordNet 3.0") {}

Synonyms::Synonyms(const std::filesystem::path& path)
    : Synonyms(inflate_gzip(read_file(path), path.string()), path.string()) {
  refuse_no_table(text_, path.string());
  std::int64_t number = 0;
  std::string_view last;
  for (std::size_t at = 0; at < text_.size();) {
    const std::string_view line = line_at(text_, at);
    ++number;
    if (word_of(line).empty() || word_of(line) <= last) {
      throw DataError(str(path.string(), ":", number,
                          ": words must be in byte order, each once; make the table with "
                          "captioning/scoring/metrics/meteor/wordnet/make_table.sh"));
    }
    if (!is_entry(line))
      throw DataError(str(path.string(), ":", number,
                          ": expected a word and the offsets of its synsets, as make_table.sh "
                          "writes them; got '",
                          line.substr(0, 40), "'"));
    last = word_of(line);
    at += line.size() + 1;
  }
}

Synonyms::Synonyms(std::string text, std::string name) : text_(std::move(text)) {
  Digest digest;
  digest.add(text_);
  name_ = str(name, " (", digest.hex(), ")");
}

// The line of a word, or nothing.
std::string_view Synonyms::entry(std::string_view word) const {
  const std::string_view text = text_;
  std::size_t low = 0, high = text.size();  // starts of lines; the word is in [low, high)
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::size_t before = text.substr(low, middle - low).rfind('\n');
    const std::size_t begin = before == std::string_view::npos ? low : low + before + 1;
    const std::string_view line = line_at(text, begin);
    const int order = word_of(line).compare(word);
    if (order == 0) return line;
    if (order < 0) {
      low = std::min(begin + line.size() + 1, high);
    } else {
      high = begin;
    }
  }
  return {};
}

// The entry of the base form, by the first rule that leads to a word. `base` holds its text.
std::string_view Synonyms::morphed(std::string_view word, std::string& base) const {
  if (word.size() <= 2 || word.ends_with("ss")) return {};
  for (const auto& [suffix, ending] : kDetachments) {
    if (!word.ends_with(suffix)) continue;
    base.assign(word.substr(0, word.size() - suffix.size())).append(ending);
    if (const std::string_view found = entry(base); !found.empty()) return found;
  }
  return {};
}

std::vector<std::uint32_t> Synonyms::synsets(std::string_view word) const {
  std::vector<std::uint32_t> out;
  const std::string_view line = entry(word);
  append_offsets(line, out);
  bool exception = false;
  for_each_item(line, [&](std::string_view item) {
    if (!item.starts_with('=')) return;
    exception = true;
    append_offsets(entry(item.substr(1)), out);
  });
  std::string base;
  if (!exception) append_offsets(morphed(word, base), out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace saccade::meteor
