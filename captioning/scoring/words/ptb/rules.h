// The rules of PTB tokens, as CoreNLP 3.4.1 has them with its default options.
#pragma once

#include <string_view>

#include "captioning/scoring/words/ptb/automaton.h"

namespace saccade::ptb {

// How a token is written out (spelling.h).
enum class Kind {
  kNothing,  // white space, or a character without a rule; it separates tokens
  kWord,
  kEntity,      // &amp; becomes &
  kTag,         // spaces become no-break spaces
  kBrackets,    // its brackets become -lrb- and the like
  kDash,        // --
  kEllipsis,    // ...
  kLess,        // <
  kGreater,     // >
  kLeftQuote,   // ` and ``, where the mark itself does not show the side
  kRightQuote,  // ' and '', where the mark itself does not show the side
  kFraction,
  kCurrency,
};

struct Match {
  Kind kind = Kind::kNothing;
  std::size_t length = 1;   // symbols of the token
  std::size_t advance = 1;  // symbols up to the next token's start; fewer if a period is read twice
};

// The token at symbols[start], by the rule that matches most, including what has to follow it; of
// equally long matches, by the first rule. `dead_ends` belongs to this text. The first call builds
// the automaton (0.05 s).
Match match(std::string_view symbols, std::size_t start, DeadEnds& dead_ends);

}  // namespace saccade::ptb
