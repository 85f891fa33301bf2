#include "captioning/data/captions_form.h"

#include <algorithm>
#include <cctype>

namespace saccade {

namespace {

// Whether a line of CSV names the columns image and caption, in any case and order.
bool names_columns(const std::string& line) {
  bool image = false, caption = false;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    std::string name;
    for (const char c : line.substr(at, comma - at))
      if (c != '"' && !std::isspace(static_cast<unsigned char>(c)))
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    image = image || name == "image";
    caption = caption || name == "caption";
    at = comma + 1;
  }
  return image && caption;
}

}  // namespace

std::optional<TokenMarks> token_marks(const std::string& line) {
  const auto tab = line.find('\t');
  const auto hash = tab == std::string::npos ? tab : line.rfind('#', tab);
  if (hash == std::string::npos || hash == 0 || hash + 1 == tab) return std::nullopt;
  const auto begin = line.begin();
  const bool digits = std::all_of(begin + static_cast<std::ptrdiff_t>(hash) + 1,
                                  begin + static_cast<std::ptrdiff_t>(tab),
                                  [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::optional<TokenMarks>({hash, tab}) : std::nullopt;
}

CaptionsForm captions_form(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return CaptionsForm::kOther;
  if (text[first] == '{' || text[first] == '[') return CaptionsForm::kJson;
  const auto begin = text.find_first_not_of("\r\n");
  const std::string line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  if (names_columns(line)) return CaptionsForm::kCsv;
  return token_marks(line) ? CaptionsForm::kTokens : CaptionsForm::kOther;
}

}  // namespace saccade
