#include "captioning/scoring/words/plain_caption.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/unicode.h"

namespace saccade {

namespace {

using unicode::CodePoint;

// The entities of HTML 4, in runs of characters that follow each other: the first code point, then
// the names; "-" is a character without one.
constexpr const char* kEntityRuns[] = {
    "34 quot - - - amp apos",
    "60 lt - gt",
    "160 nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg "
    "plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest "
    "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute "
    "Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml "
    "Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc "
    "euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave "
    "uacute ucirc uuml yacute thorn yuml",
    "338 OElig oelig",
    "352 Scaron scaron",
    "376 Yuml",
    "402 fnof",
    "710 circ",
    "732 tilde",
    "913 Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - "
    "Sigma Tau Upsilon Phi Chi Psi Omega",
    "945 alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
    "sigmaf sigma tau upsilon phi chi psi omega",
    "977 thetasym upsih",
    "982 piv",
    "8194 ensp emsp",
    "8201 thinsp",
    "8204 zwnj zwj lrm rlm",
    "8211 ndash mdash",
    "8216 lsquo rsquo sbquo - ldquo rdquo bdquo - dagger Dagger bull",
    "8230 hellip",
    "8240 permil",
    "8242 prime Prime",
    "8249 lsaquo rsaquo",
    "8254 oline",
    "8260 frasl",
    "8364 euro",
    "8465 image",
    "8472 weierp",
    "8476 real",
    "8482 trade",
    "8501 alefsym",
    "8592 larr uarr rarr darr harr",
    "8629 crarr",
    "8656 lArr uArr rArr dArr hArr",
    "8704 forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus - - - - "
    "lowast "
    "- - radic - - prop infin - ang - - - - - - and or cap cup int",
    "8756 there4",
    "8764 sim",
    "8773 cong",
    "8776 asymp",
    "8800 ne equiv - - le ge",
    "8834 sub sup nsub - sube supe",
    "8853 oplus - otimes",
    "8869 perp",
    "8901 sdot",
    "8968 lceil rceil lfloor rfloor",
    "9001 lang rang",
    "9674 loz",
    "9824 spades - - clubs - hearts diams",
};

std::unordered_map<std::string, CodePoint> make_entities() {
  std::unordered_map<std::string, CodePoint> out;
  for (const char* run : kEntityRuns) {
    std::istringstream in(run);
    CodePoint point = 0;
    in >> point;
    for (std::string name; in >> name; ++point)
      if (name != "-") out.emplace(name, point);
  }
  return out;
}

// What Windows-1252 has for the numbers 128 to 159, as which browsers take them; 0 for none.
constexpr CodePoint kWindows[] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                  0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                  0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                  0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// The character of &#...;, given what stands between '#' and ';'.
std::optional<CodePoint> numbered(std::string_view digits) {
  constexpr CodePoint kLast = 0x10FFFF, kSurrogates = 0xD800, kAfterSurrogates = 0xE000;
  const bool hex = digits.starts_with('x') || digits.starts_with('X');
  if (hex) digits.remove_prefix(1);
  CodePoint point = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, point, hex ? 16 : 10);
  if (error != std::errc() || stop != end || point < 0 || point > kLast ||
      (point >= kSurrogates && point < kAfterSurrogates))
    return std::nullopt;
  constexpr CodePoint kFirst = 128, kAfter = 160;
  if (point >= kFirst && point < kAfter && kWindows[point - kFirst] != 0)
    return kWindows[point - kFirst];
  return unicode::is_control(point) ? ' ' : point;
}

std::optional<CodePoint> named(const std::string& name) {
  static const std::unordered_map<std::string, CodePoint> entities = make_entities();
  if (name.starts_with('#')) return numbered(std::string_view(name).substr(1));
  const auto found = entities.find(name);
  return found == entities.end() ? std::nullopt : std::optional(found->second);
}

// The name between '&' and ';', where the rest of a caption, whose characters stand in reverse
// order, begins with one.
std::optional<std::string> name_at_end(const std::vector<CodePoint>& reversed) {
  constexpr std::size_t kLongest = 10;  // thetasym, #x10FFFF
  std::string name;
  for (auto at = reversed.rbegin(); at != reversed.rend() && name.size() <= kLongest; ++at) {
    if (*at == ';') return name.empty() ? std::nullopt : std::optional(name);
    const bool fits = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
                      (*at >= 'A' && *at <= 'Z') || (*at == '#' && name.empty());
    if (!fits) break;
    name += static_cast<char>(*at);
  }
  return std::nullopt;
}

}  // namespace

PlainCaption plain_caption(std::string_view caption) {
  constexpr CodePoint kZeroWidthSpace = 0x200B;
  PlainCaption out;
  const auto is_plain = [](char byte) { return byte >= ' ' && byte <= '~' && byte != '&'; };
  if (std::ranges::all_of(caption, is_plain)) {
    out.text = caption;
    return out;
  }
  const std::vector<CodePoint> points = unicode::decode(caption);
  // From the end to the beginning: what stands behind a '&' is plain already, so that an entity
  // that was escaped several times is found as often.
  std::vector<CodePoint> reversed;
  reversed.reserve(points.size());
  for (auto at = points.rbegin(); at != points.rend(); ++at) {
    CodePoint point = *at;
    while (point == '&') {
      const auto name = name_at_end(reversed);
      const auto character = name ? named(*name) : std::nullopt;
      if (!character) break;
      reversed.resize(reversed.size() - name->size() - 1);
      point = *character;
      ++out.entities;
    }
    if (point == kZeroWidthSpace) {
      ++out.invisible;
      point = ' ';
    } else if (unicode::is_invisible(point)) {
      ++out.invisible;
      continue;
    }
    reversed.push_back(point);
  }
  for (auto at = reversed.rbegin(); at != reversed.rend(); ++at) unicode::append(out.text, *at);
  return out;
}

std::string PlainCaptions::add(std::string_view caption) {
  PlainCaption plain = plain_caption(caption);
  with_entities_ += plain.entities > 0 ? 1 : 0;
  with_invisible_ += plain.invisible > 0 ? 1 : 0;
  return std::move(plain.text);
}

std::string PlainCaptions::note() const {
  std::string out;
  if (with_entities_ > 0)
    out += str(counted(with_entities_, "caption holds", "captions hold"),
               " HTML entities such as &amp;, which are taken as the characters that they name");
  if (with_invisible_ > 0)
    out += str(out.empty() ? "" : "; ", counted(with_invisible_, "caption holds", "captions hold"),
               " characters that nobody sees, such as soft hyphens, which are left out");
  return out;
}

}  // namespace saccade
