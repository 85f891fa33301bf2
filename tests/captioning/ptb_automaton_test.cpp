// Patterns, and the automaton below the PTB rules.
#include "captioning/scoring/words/ptb/automaton.h"
#include "captioning/scoring/words/ptb/pattern.h"
#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade::ptb {
namespace {

// The first of the patterns that match most of a text's beginning, as "pattern:length".
std::string longest(const std::vector<std::string>& patterns, const std::string& text) {
  Definitions definitions;
  definitions.read("# comment\nhex = [0-9a-f]\npair = hex\n  hex\n");
  std::vector<PatternPtr> parsed;
  for (const std::string& pattern : patterns) parsed.push_back(definitions.parse(pattern));
  DeadEnds dead_ends;
  const Automaton::Longest found = Automaton(parsed).longest(text, 0, dead_ends);
  return std::to_string(found.pattern) + ":" + std::to_string(found.length);
}

}  // namespace

TEST_CASE("PTB patterns: the longest match wins, then the first pattern") {
  CHECK(longest({"'ab'", "'abc' | 'x'"}, "abcd") == "1:3");
  CHECK(longest({"[a-c]+", "'abc'"}, "abcd") == "0:3");
  CHECK(longest({"'abc'", "[a-c]+"}, "abcd") == "0:3");
  CHECK(longest({"'ab' 'cde'?"}, "abcd") == "0:2");  // back to the last match
  CHECK(longest({"'b'"}, "abc") == "-1:0");
  CHECK(longest({"'aB'"}, "Ab") == "0:2");  // literals match in any case, sets as they are
  CHECK(longest({"[a] [B]"}, "Ab") == "-1:0");
  CHECK(longest({"[^b\\n]*"}, "acb") == "0:2");
  CHECK(longest({"'a'{2}"}, "aaa") == "0:2");
  CHECK(longest({"('a' 'b'?){2,3}"}, "abaaba") == "0:5");
  CHECK(longest({"pair+ 'h'"}, "0aFfh") == "-1:0");
  CHECK(longest({"pair+ 'h'"}, "0affh") == "0:5");
}

TEST_CASE("PTB patterns: errors name the mistake") {
  for (const char* wrong : {"('a'", "'a", "[a", "nobody", "'a'{2", "'a'{x}", ")"}) {
    CHECK_THROWS_AS(Definitions().parse(wrong), InternalError);
  }
}

TEST_CASE("PTB automaton: remembered dead ends change no match") {
  // Each of these patterns has a long lookahead that rarely finds a match.
  const Definitions definitions;
  const std::vector<PatternPtr> patterns = {
      definitions.parse("'a' [^@]* '@'"), definitions.parse("('b' 'a'+)+ '!'"),
      definitions.parse("[ab]"), definitions.parse("'aab' [ab]{80} 'b'")};
  const Automaton automaton(patterns);
  std::string text;
  std::uint64_t random = 7;
  for (int i = 0; i < 3000; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const auto draw = random >> 33U;
    text += draw % 997 == 0 ? '@' : draw % 499 == 0 ? '!' : draw % 2 == 0 ? 'a' : 'b';
  }
  DeadEnds remembered;
  for (std::size_t start = 0; start < text.size(); ++start) {
    DeadEnds none;
    const Automaton::Longest with = automaton.longest(text, start, remembered);
    const Automaton::Longest without = automaton.longest(text, start, none);
    REQUIRE(with.pattern == without.pattern);
    REQUIRE(with.length == without.length);
  }
}

}  // namespace saccade::ptb
