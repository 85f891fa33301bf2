#include "captioning/data/captions_form.h"

#include <algorithm>

#include "captioning/data/caption_columns.h"

namespace saccade {

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
  if (header_separator(text)) return CaptionsForm::kCsv;
  return token_marks(line) ? CaptionsForm::kTokens : CaptionsForm::kOther;
}

bool is_json_lines(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string::npos || text[first] != '{') return false;
  const auto end = text.find('\n', first);
  if (end == std::string::npos) return false;
  const auto second = text.find_first_not_of(kSpace, end);
  return text[text.find_last_not_of(kSpace, end)] == '}' && second != std::string::npos &&
         text[second] == '{';
}

}  // namespace saccade
