#include "captioning/scoring/metrics/meteor/text_normalizer.h"

#include <algorithm>
#include <array>

#include "core/base/unicode.h"

namespace saccade::meteor {

namespace {

using Text = std::u32string;

// Stands for the dots of an ellipsis until the end, so that no rule about dots sees them. It is
// beyond Unicode, so no text holds it.
constexpr char32_t kEllipsisDot = 0x110000;

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_digit(char32_t c) { return within(c, '0', '9'); }
bool is_lower_ascii(char32_t c) { return within(c, 'a', 'z'); }

// METEOR's letters: Latin and Cyrillic. Greek, CJK and the rest count as symbols.
bool is_letter(char32_t c) {
  if (c < 0x80) return within(c, 'A', 'Z') || is_lower_ascii(c);
  return within(c, 0xC0, 0xD6) || within(c, 0xD8, 0xF6) || within(c, 0xF8, 0x17E) ||
         within(c, 0x400, 0x527) || within(c, 0xA640, 0xA66E) || within(c, 0xA67E, 0xA697) ||
         within(c, 0x1D00, 0x1D7F);
}

bool is_alnum(char32_t c) { return is_digit(c) || is_letter(c); }
bool is_other(char32_t c) { return !is_alnum(c); }
bool is_no_digit(char32_t c) { return !is_digit(c); }
bool is_no_letter(char32_t c) { return !is_letter(c); }
bool is_white(char32_t c) { return c == ' ' || within(c, '\t', '\r'); }

// What becomes a single space at the end.
bool is_space(char32_t c) {
  return c == ' ' || c == 0xA0 || within(c, 0x2000, 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Text replace_all(const Text& in, std::u32string_view from, std::u32string_view to) {
  Text out;
  std::size_t at = 0;
  for (std::size_t hit = in.find(from); hit != Text::npos; hit = in.find(from, at)) {
    out.append(in, at, hit - at).append(to);
    at = hit + from.size();
  }
  return out.append(in, at);
}

// Replaces `middle` by `to` wherever it stands between a `left` and a `right`. It goes from left to
// right, and a match uses up its three characters: "b-b-q" holds one match, not two.
template <class Left, class Right>
Text replace_between(const Text& in, Left left, char32_t middle, Right right,
                     std::u32string_view to) {
  Text out;
  for (std::size_t i = 0; i < in.size();) {
    if (i + 2 < in.size() && in[i + 1] == middle && left(in[i]) && right(in[i + 2])) {
      (out += in[i]).append(to) += in[i + 2];
      i += 3;
    } else {
      out += in[i++];
    }
  }
  return out;
}

// The line between two spaces, with spaces around every character that is neither a letter nor a
// digit nor needed by later steps.
Text separate_symbols(std::string_view line) {
  constexpr std::u32string_view kLater = U".'`,-\u2018\u2019";
  Text out = U" ";
  for (const unicode::CodePoint point : unicode::decode(line)) {
    const auto c = static_cast<char32_t>(point);
    if (is_alnum(c) || is_white(c) || kLater.find(c) != std::u32string_view::npos) {
      out += c;
    } else {
      ((out += ' ') += c) += ' ';
    }
  }
  return out += ' ';
}

// A run of two or more dots becomes a word of its own.
Text mark_ellipses(const Text& in) {
  Text out;
  for (std::size_t i = 0; i < in.size();) {
    const std::size_t end = std::min(in.find_first_not_of('.', i), in.size());
    if (end - i < 2) {
      out += in[i++];
    } else {
      ((out += ' ').append(end - i, kEllipsisDot)) += ' ';
      i = end;
    }
  }
  return out;
}

Text separate_commas(Text text) {
  text = replace_between(text, is_no_digit, ',', is_no_digit, U" , ");
  text = replace_between(text, is_digit, ',', is_no_digit, U" , ");
  return replace_between(text, is_no_digit, ',', is_digit, U" , ");
}

Text unify_quotes_and_dashes(Text text) {
  for (char32_t& c : text) {
    if (c == '`' || c == 0x2018 || c == 0x2019) c = '\'';
    if (c == 0x201C || c == 0x201D) c = '"';  // it has its spaces already
    if (c == 0x2013) c = '-';
  }
  return replace_all(replace_all(text, U"''", U" \" "), U"--", U"-");
}

Text separate_apostrophes(Text text) {
  text = replace_between(text, is_no_letter, '\'', is_no_letter, U" ' ");
  text = replace_between(text, is_other, '\'', is_letter, U" ' ");
  text = replace_between(text, is_letter, '\'', is_no_letter, U" ' ");
  text = replace_between(text, is_letter, '\'', is_letter, U" '");
  return replace_between(
      text, is_digit, '\'', [](char32_t c) { return c == 's'; }, U" '");
}

// Abbreviations that keep their dot: those that METEOR took from the Moses tokenizer (revision
// 3881). In lower-cased captions only those of the last line can occur.
constexpr auto kPrefixes = std::to_array<std::u32string_view>(
    {U"A",    U"B",    U"C",    U"D",    U"E",    U"F",    U"G",    U"H",      U"I",    U"J",
     U"K",    U"L",    U"M",    U"N",    U"O",    U"P",    U"Q",    U"R",      U"S",    U"T",
     U"U",    U"V",    U"W",    U"X",    U"Y",    U"Z",    U"Adj",  U"Adm",    U"Adv",  U"Asst",
     U"Bart", U"Bldg", U"Brig", U"Bros", U"Capt", U"Cmdr", U"Col",  U"Comdr",  U"Con",  U"Corp",
     U"Cpl",  U"DR",   U"Dr",   U"Drs",  U"Ens",  U"Gen",  U"Gov",  U"Hon",    U"Hr",   U"Hosp",
     U"Insp", U"Lt",   U"MM",   U"MR",   U"MRS",  U"MS",   U"Maj",  U"Messrs", U"Mlle", U"Mme",
     U"Mr",   U"Mrs",  U"Ms",   U"Msgr", U"Op",   U"Ord",  U"Pfc",  U"Ph",     U"Prof", U"Pvt",
     U"Rep",  U"Reps", U"Res",  U"Rev",  U"Rt",   U"Sen",  U"Sens", U"Sfc",    U"Sgt",  U"Sr",
     U"St",   U"Supt", U"Surg",  //
     U"v",    U"vs",   U"i.e",  U"rev",  U"e.g"});
// Abbreviations that keep their dot only before a number.
constexpr auto kNumericPrefixes =
    std::to_array<std::u32string_view>({U"No", U"Nos", U"Art", U"Nr", U"pp"});

template <std::size_t kCount>
bool listed(const std::array<std::u32string_view, kCount>& list, std::u32string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A word that ends in a dot: an acronym loses all its dots, an abbreviation keeps its dot, and for
// any other word the dot becomes a word of its own. `next` is the first character after it, or 0.
Text resolve_final_dot(const Text& word, char32_t next) {
  const Text rest = word.substr(0, word.size() - 1);
  if (rest.find('.') != Text::npos && std::any_of(rest.begin(), rest.end(), is_letter)) {
    return replace_all(word, U".", U"");
  }
  if (listed(kPrefixes, rest) || is_lower_ascii(next)) return word;
  if (listed(kNumericPrefixes, rest) && is_digit(next)) return word;
  return rest + U" .";
}

Text resolve_final_dots(const Text& in) {
  Text out;
  const auto skip = [&](std::size_t from, bool white) {
    return static_cast<std::size_t>(std::find_if(in.begin() + static_cast<std::ptrdiff_t>(from),
                                                 in.end(),
                                                 [&](char32_t c) { return is_white(c) != white; }) -
                                    in.begin());
  };
  for (std::size_t begin = skip(0, true); begin < in.size();) {
    const std::size_t end = skip(begin, false), next = skip(end, true);
    const Text word = in.substr(begin, end - begin);
    out += word.size() > 1 && word.back() == '.'
               ? resolve_final_dot(word, next < in.size() ? in[next] : U'\0')
               : word;
    out += ' ';
    begin = next;
  }
  return out;
}

std::string finish(const Text& in) {
  std::string out;
  bool gap = false;
  for (const char32_t c : in) {
    if (is_space(c)) {
      gap = !out.empty();
      continue;
    }
    if (gap) out += ' ';
    gap = false;
    unicode::append(out, c == kEllipsisDot ? '.' : static_cast<unicode::CodePoint>(c));
  }
  return out;
}

// Whether a line holds only ASCII letters, digits and blanks: there, rules change nothing but
// blanks.
bool is_plain(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code == ' ' || (code < 0x80 && is_alnum(code));
  });
}

std::string to_lower(std::string_view text) {
  std::string out;
  for (const unicode::CodePoint point : unicode::decode(text)) {
    unicode::append(out, unicode::lower(point));
    // The only character whose lower case has two characters.
    if (point == 0x130) unicode::append(out, 0x307);
  }
  return out;
}

}  // namespace

std::string normalize(std::string_view line) {
  Text text = mark_ellipses(separate_symbols(line));
  text = unify_quotes_and_dashes(separate_commas(text));
  text = replace_between(
      text, [](char32_t c) { return is_alnum(c) || c == '.'; }, '-', is_alnum, U" ");
  return finish(resolve_final_dots(separate_apostrophes(text)));
}

void split_normalized(std::string_view line, std::string& text,
                      std::vector<std::string_view>& words) {
  if (is_plain(line)) {
    text.assign(line);
    for (char& c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
  } else {
    text = to_lower(normalize(line));
  }
  words.clear();
  const std::string_view all = text;
  constexpr std::string_view kBlanks = " \t\n\r\f";
  for (std::size_t begin = all.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(all.find_first_of(kBlanks, begin), all.size());
    words.push_back(all.substr(begin, end - begin));
    begin = all.find_first_not_of(kBlanks, end);
  }
}

}  // namespace saccade::meteor
