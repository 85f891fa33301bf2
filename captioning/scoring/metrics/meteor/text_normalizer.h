// METEOR 1.5's normaliser for English with `-norm`, keeping punctuation: it separates punctuation,
// clitics and hyphenated parts, and joins the letters of acronyms. METEOR applies it to lines that
// are tokenized already, so that for example PTB's "n't" becomes "n" "'t", and "'s" becomes "'"
// "s".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saccade::meteor {

// The normalised line (UTF-8; case is kept), words joined by one space.
std::string normalize(std::string_view line);

// The words METEOR compares: those of the normalised line in lower case (as Java's), into `words`
// as views of `text`, both overwritten.
void split_normalized(std::string_view line, std::string& text,
                      std::vector<std::string_view>& words);

}  // namespace saccade::meteor
