// How PTB tokens are written: in lower case, with quotes, dashes, brackets, fractions and
// currencies in ASCII.
#pragma once

#include <string>
#include <string_view>

#include "captioning/scoring/words/ptb/rules.h"

namespace saccade::ptb {

// A token as UTF-8; never empty for a kind other than kNothing.
std::string spell(Kind kind, std::u16string_view token);

}  // namespace saccade::ptb
