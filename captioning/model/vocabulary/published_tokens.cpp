#include "captioning/model/vocabulary/published_tokens.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "captioning/model/vocabulary/token_cuts.h"
#include "core/base/error.h"
#include "core/base/shallow_json.h"
#include "core/base/unicode.h"

namespace saccade {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TokenPlan, byte_level, tokens, specials, pad, bos, eos, unk,
                                   lower, strips_accents, splits_han, cleans_up, merges,
                                   prefix_space)

namespace {

using Json = nlohmann::json;
constexpr std::string_view kContinues = "##";
constexpr std::string_view kSpace = "\xC4\xA0";  // U+0120, a space before it was made printable

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to), at += to.size();
}

// As transformers' clean_up_tokenization.
void clean_up(std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> kChanges[] = {
      {" .", "."},     {" ?", "?"},   {" !", "!"},   {" ,", ","},     {" ' ", "'"},
      {" n't", "n't"}, {" 'm", "'m"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kChanges) replace_all(text, from, to);
}

}  // namespace

struct PublishedTokens::Lookup {
  std::unordered_map<std::string, Index> numbers{};
  std::unordered_map<std::string, std::size_t> ranks{};  // of merges
  std::vector<Index> specials{};                         // the longest spelling first

  Index find(const std::string& token) const {
    const auto found = numbers.find(token);
    return found == numbers.end() ? -1 : found->second;
  }
};

PublishedTokens::PublishedTokens(TokenPlan plan)
    : plan_(std::move(plan)), special_(plan_.tokens.size(), 0), lookup_(new Lookup) {
  for (Index number = 0; number < size(); ++number) {
    const std::string& token = plan_.tokens[static_cast<std::size_t>(number)];
    if (token.empty())
      special_[static_cast<std::size_t>(number)] = 1;
    else if (!lookup_->numbers.emplace(token, number).second)
      throw DataError(str("the token '", token, "' is there twice"));
  }
  for (const Index role : {plan_.pad, plan_.bos, plan_.eos, plan_.unk})
    if (role < -1 || role >= size())
      throw DataError(str("there is no token ", role, " among the ", size(), " of the tokenizer"));
  if (plan_.eos < 0 || plan_.bos < 0)
    throw DataError("it is not known by which tokens a caption begins and ends");
  if (!plan_.byte_level && plan_.unk < 0) throw DataError("there is no token for what is unknown");
  for (const Index number : plan_.specials) {
    if (number < 0 || number >= size())
      throw DataError(str("the special token ", number, " is beyond the ", size(), " tokens"));
    special_[static_cast<std::size_t>(number)] = 1;
    if (!plan_.tokens[static_cast<std::size_t>(number)].empty())
      lookup_->specials.push_back(number);
  }
  const auto length = [&](Index number) {
    return plan_.tokens[static_cast<std::size_t>(number)].size();
  };
  std::stable_sort(lookup_->specials.begin(), lookup_->specials.end(),
                   [&](Index a, Index b) { return length(a) > length(b); });
  for (const std::string& merge : plan_.merges) {
    const std::size_t space = merge.find(' ');
    if (space == std::string::npos || space == 0 || space + 1 == merge.size() ||
        lookup_->find(merge.substr(0, space) + merge.substr(space + 1)) < 0)
      throw DataError(str("the merge '", merge, "' does not make a token of two"));
    lookup_->ranks.emplace(merge, lookup_->ranks.size());
  }
}
PublishedTokens::~PublishedTokens() = default;
PublishedTokens::PublishedTokens(PublishedTokens&&) noexcept = default;
PublishedTokens& PublishedTokens::operator=(PublishedTokens&&) noexcept = default;

std::string PublishedTokens::text() const { return Json(plan_).dump(); }

PublishedTokens PublishedTokens::of_text(const std::string& text) {
  try {
    return PublishedTokens(shallow_json<Json>(text).get<TokenPlan>());
  } catch (const Json::exception& error) {
    throw DataError(str("not the tokens of a published captioner: ", error.what()));
  }
}

void PublishedTokens::encode_plain(std::string_view text, std::vector<Index>& out) const {
  constexpr std::size_t kLongestWord = 100;  // in characters
  if (!plan_.byte_level) {
    for (const std::string& word : word_piece_words(text, plan_)) {
      std::vector<Index> pieces;
      const bool cut = unicode::decode(word).size() <= kLongestWord;
      for (std::size_t begin = 0; cut && begin < word.size();) {
        Index found = -1;
        std::size_t end = word.size();
        for (; end > begin && found < 0; --end)
          found = lookup_->find(std::string(begin == 0 ? "" : kContinues) +
                                word.substr(begin, end - begin));
        if (found < 0) {
          pieces.clear();
          break;
        }
        pieces.push_back(found);
        begin = end + 1;
      }
      if (pieces.empty())
        out.push_back(plan_.unk);
      else
        out.insert(out.end(), pieces.begin(), pieces.end());
    }
    return;
  }
  for (const std::string_view part : byte_level_parts(text)) {
    std::vector<std::string> pieces;
    for (const char byte : part) pieces.push_back(printable_bytes({&byte, 1}));
    for (;;) {
      std::size_t best = std::numeric_limits<std::size_t>::max(), where = 0;
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
        const auto found = lookup_->ranks.find(pieces[i] + " " + pieces[i + 1]);
        if (found == lookup_->ranks.end() || found->second >= best) continue;
        best = found->second;
        where = i;
      }
      if (best == std::numeric_limits<std::size_t>::max()) break;
      pieces[where] += pieces[where + 1];
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
    for (const std::string& piece : pieces)
      if (const Index number = lookup_->find(piece); number >= 0 || plan_.unk >= 0)
        out.push_back(number >= 0 ? number : plan_.unk);
  }
}

std::vector<Index> PublishedTokens::encode(std::string_view given) const {
  std::vector<Index> out;
  // Bytes that are no text stay only where bytes are tokens.
  const std::string own = valid_text(given);
  const std::string_view text = own;
  std::string spaced;
  const auto add = [&](std::string_view part) {
    if (part.empty()) return;
    if (!plan_.byte_level || !plan_.prefix_space || part[0] == ' ') return encode_plain(part, out);
    spaced = str(" ", part);
    encode_plain(spaced, out);
  };
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto special =
        std::find_if(lookup_->specials.begin(), lookup_->specials.end(), [&](Index number) {
          return text.substr(at).starts_with(plan_.tokens[static_cast<std::size_t>(number)]);
        });
    if (special == lookup_->specials.end()) {
      ++at;
      continue;
    }
    add(text.substr(plain, at - plain));
    out.push_back(*special);
    at += plan_.tokens[static_cast<std::size_t>(*special)].size();
    plain = at;
  }
  add(text.substr(plain));
  return out;
}

std::string PublishedTokens::decode(std::span<const Index> numbers, bool skip_specials) const {
  std::string out;
  for (const Index number : numbers) {
    const std::string& token = plan_.tokens[static_cast<std::size_t>(number)];
    if (token.empty() || (skip_specials && is_special(number))) continue;
    if (plan_.byte_level) {
      out += is_special(number) ? token : bytes_of_printable(token);
      continue;
    }
    const bool continues = token.starts_with(kContinues) && !out.empty();
    const bool closes = token == "." || token == "?" || token == "!" || token == ",";
    if (!continues && !closes && !out.empty()) out += ' ';
    out += continues ? token.substr(kContinues.size()) : token;
  }
  if (plan_.byte_level) return valid_text(out);
  if (plan_.cleans_up) clean_up(out);
  return out;
}

bool PublishedTokens::begins_word(Index number) const {
  const std::string& token = plan_.tokens[static_cast<std::size_t>(number)];
  if (is_special(number)) return true;
  return plan_.byte_level ? token.starts_with(kSpace) : !token.starts_with(kContinues);
}

}  // namespace saccade
