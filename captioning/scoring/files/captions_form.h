// What kind of file holds captions, told by its content and not by its name.
#pragma once

#include <optional>
#include <string>

namespace saccade {

enum class CaptionsForm { kJson, kCsv, kTokens, kOther };

// kJson: begins with a bracket or a brace, and not with an image in brackets. kCsv: the first line
// names columns of images and of captions (header_separator() tells how they are separated).
// kTokens: the first line is <image>#<number> TAB <caption>. kOther: none of these, such as plain
// text.
CaptionsForm captions_form(const std::string& text);

// The offsets of '#' and the tab in a line <image>#<number> TAB <caption>, if it has this form.
// Some copies use two tabs; a file name may hold a '#'.
struct TokenMarks {
  std::size_t hash = 0, tab = 0;
};
std::optional<TokenMarks> token_marks(const std::string& line);

}  // namespace saccade
