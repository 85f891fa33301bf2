#include "captioning/scoring/words/ptb/spelling.h"

#include <span>

#include "core/base/unicode.h"

namespace saccade::ptb {

namespace {

using unicode::CodePoint;

struct Spelling {
  std::u16string_view from;
  std::string_view to;
};
using Spellings = std::span<const Spelling>;

constexpr Spelling kQuotes[] = {
    {u"\u0091", "`"},  {u"\u2018", "`"},  {u"\u201B", "`"},  {u"\u2039", "`"},  {u"\u0092", "'"},
    {u"\u2019", "'"},  {u"\u203A", "'"},  {u"\u0093", "``"}, {u"\u201C", "``"}, {u"\u00AB", "``"},
    {u"\u0094", "''"}, {u"\u201D", "''"}, {u"\u00BB", "''"},
};
constexpr Spelling kLeftQuotes[] = {
    {u"\"", "``"}, {u"&quot;", "``"}, {u"'", "`"}, {u"&apos;", "`"}};
constexpr Spelling kRightQuotes[] = {
    {u"\"", "''"}, {u"&quot;", "''"}, {u"'", "'"}, {u"&apos;", "'"}};
constexpr Spelling kBrackets[] = {{u"(", "-lrb-"}, {u")", "-rrb-"}, {u"[", "-lsb-"},
                                  {u"]", "-rsb-"}, {u"{", "-lcb-"}, {u"}", "-rcb-"},
                                  {u" ", "\u00A0"}};
constexpr Spelling kSpaces[] = {{u" ", "\u00A0"}};
constexpr Spelling kEntities[] = {{u"&amp;", "&"}};
constexpr Spelling kFractions[] = {{u"\u00BC", "1/4"}, {u"\u00BD", "1/2"}, {u"\u00BE", "3/4"},
                                   {u"\u2153", "1/3"}, {u"\u2154", "2/3"}, {u" ", "\u00A0"}};
constexpr Spelling kCurrencies[] = {{u"\u00A2", "cents"}, {u"\u00A3", "#"}, {u"\u0080", "$"},
                                    {u"\u00A4", "$"},     {u"\u20A0", "$"}, {u"\u20AC", "$"}};

// The first of the spellings that `rest` starts with.
const Spelling* find(std::u16string_view rest, Spellings spellings) {
  for (const Spelling& spelling : spellings) {
    if (rest.starts_with(spelling.from)) return &spelling;
  }
  return nullptr;
}

CodePoint code_point(std::u16string_view rest) {
  const bool pair = rest.size() > 1 && (rest[0] & 0xFC00) == 0xD800 && (rest[1] & 0xFC00) == 0xDC00;
  if (!pair) return (rest[0] & 0xF800) == 0xD800 ? 0xFFFD : rest[0];
  return 0x10000 + ((rest[0] & 0x3FF) << 10) + (rest[1] & 0x3FF);
}

bool is_cased(CodePoint point) {
  return unicode::lower(point) != point || unicode::upper(point) != point;
}

// A capital sigma is final where it stands after a letter and before none.
bool is_final_sigma(std::u16string_view token, std::size_t at) {
  return at > 0 && is_cased(token[at - 1]) && (at + 1 == token.size() || !is_cased(token[at + 1]));
}

void append_lower(std::string& out, std::u16string_view token, std::size_t at) {
  constexpr CodePoint kDottedI = 0x0130, kCapitalSigma = 0x03A3, kFinalSigma = 0x03C2;
  const CodePoint point = code_point(token.substr(at));
  if (point == kDottedI) {
    out += "i\u0307";
  } else if (point == kCapitalSigma && is_final_sigma(token, at)) {
    unicode::append(out, kFinalSigma);
  } else {
    unicode::append(out, unicode::lower(point));
  }
}

std::string respell(std::u16string_view token, Spellings spellings) {
  std::string out;
  for (std::size_t at = 0; at < token.size();) {
    if (const Spelling* spelling = find(token.substr(at), spellings)) {
      out += spelling->to;
      at += spelling->from.size();
    } else {
      append_lower(out, token, at);
      at += code_point(token.substr(at)) > 0xFFFF ? 2U : 1U;
    }
  }
  return out;
}

std::string spell_word(std::u16string_view token) {
  std::string out;
  for (std::size_t at = 0; at < token.size();) {
    const char16_t unit = token[at];
    if (unit < 0x80) {
      out += static_cast<char>(unit >= 'A' && unit <= 'Z' ? unit | 0x20 : unit);
      ++at;
      continue;
    }
    if (unit != 0xAD) append_lower(out, token, at);  // soft hyphens are dropped
    at += code_point(token.substr(at)) > 0xFFFF ? 2U : 1U;
  }
  return out.empty() ? "-" : out;
}

std::string spell_quote(std::u16string_view token, Spellings undirected) {
  std::string out;
  for (std::size_t at = 0; at < token.size();) {
    const Spelling* spelling = find(token.substr(at), kQuotes);
    if (spelling == nullptr) spelling = find(token.substr(at), undirected);
    if (spelling == nullptr) {
      append_lower(out, token, at);
      ++at;
    } else {
      out += spelling->to;
      at += spelling->from.size();
    }
  }
  return out;
}

}  // namespace

std::string spell(Kind kind, std::u16string_view token) {
  switch (kind) {
    case Kind::kNothing:
      return "";
    case Kind::kWord:
      return spell_word(token);
    case Kind::kEntity:
      return respell(token, kEntities);
    case Kind::kTag:
      return respell(token, kSpaces);
    case Kind::kBrackets:
      return respell(token, kBrackets);
    case Kind::kDash:
      return "--";
    case Kind::kEllipsis:
      return "...";
    case Kind::kLess:
      return "<";
    case Kind::kGreater:
      return ">";
    case Kind::kLeftQuote:
      return spell_quote(token, kLeftQuotes);
    case Kind::kRightQuote:
      return spell_quote(token, kRightQuotes);
    case Kind::kFraction:
      return respell(token, kFractions);
    case Kind::kCurrency:
      return respell(token, kCurrencies);
  }
  return "";
}

}  // namespace saccade::ptb
