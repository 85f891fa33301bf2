#include "captioning/scoring/files/captions_form.h"

#include <algorithm>
#include <cctype>

#include "captioning/scoring/files/caption_columns.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/leading_id.h"

namespace saccade {

namespace {

// "[a.jpg] a dog", "[7] a dog" and "[CLS] a dog" are no JSON.
bool begins_with_bracketed_word(const std::string& line) {
  if (line.size() < 2 || std::string("\"'[{( \t").find(line[1]) != std::string::npos) return false;
  const auto lead = leading_id(line);
  const bool number = lead && image_id(lead->name).name.empty();
  if (lead && lead->certain) return !number || lead->rest < line.size();
  const std::string word = line.substr(1, line.find_first_of(",]") - 1);
  const bool letters =
      std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return letters && !word.empty() && word != "true" && word != "false" && word != "null";
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
  const auto begin = text.find_first_not_of("\r\n");
  const std::string line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  if (text[first] == '{' || (text[first] == '[' && !begins_with_bracketed_word(line)))
    return CaptionsForm::kJson;
  if (header_separator(text)) return CaptionsForm::kCsv;
  return token_marks(line) ? CaptionsForm::kTokens : CaptionsForm::kOther;
}

}  // namespace saccade
