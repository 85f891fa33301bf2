// Regular expressions over one-byte symbols, parsed from text into trees. Syntax:
//   "text" 'text'   these characters in any case      name        a definition from before
//   [a-z$] [^a-z]   one symbol of a set, as written   a b  a | b  ( )   a* a+ a? a{3} a{2,4}
// Inside a set, \n \t \\ \] \" \^ \- have their usual meaning, and \_ is the no-break space.
#pragma once

#include <bitset>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace saccade::ptb {

using SymbolSet = std::bitset<256>;

struct Pattern {
  enum class Kind { kSymbol, kSequence, kChoice, kRepeat };
  static constexpr int kNoLimit = -1;

  Kind kind = Kind::kSequence;
  SymbolSet symbols;                                    // kSymbol: any one of these
  std::vector<std::shared_ptr<const Pattern>> parts{};  // kRepeat has one
  int least = 0, most = 0;                              // kRepeat; most may be kNoLimit
};
using PatternPtr = std::shared_ptr<const Pattern>;

// Patterns by name.
class Definitions {
 public:
  // Reads lines "name = pattern". An indented line continues the line above, and '#' starts a line
  // of comment. Throws InternalError where a line is none of these, as parse() does.
  void read(std::string_view text);
  void define(std::string name, const SymbolSet& symbols);
  PatternPtr parse(std::string_view text) const;

 private:
  std::map<std::string, PatternPtr, std::less<>> patterns_;
};

}  // namespace saccade::ptb
