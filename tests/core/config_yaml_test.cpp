// What YAML itself allows in a config: its forms of true and false, tabs, and characters that look
// like spaces.
#include "core/base/error.h"
#include "core/config/config.h"
#include "tests/support/catch.h"

using namespace saccade;

namespace {

struct Inner {
  std::int64_t hidden = 8;
  std::optional<double> weight;
  std::vector<std::string> words;
  void fields(Section& v) {
    v.field("hidden", hidden, "a width");
    v.field("weight", weight, "a weight");
    v.field("words", words, "some words");
  }
};

struct Outer {
  std::string title = "none";
  bool on = false;
  double rate = 0.5;
  Inner inner;
  void fields(Section& v) {
    v.field("title", title, "a title");
    v.field("on", on, "a switch");
    v.field("rate", rate, "a rate");
    v.section("inner", inner, "a section");
  }
};

std::string mistakes(const std::string& text) {
  try {
    parse_config<Outer>(text, "t.yaml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("true and false are read in every form of YAML's core schema") {
  for (const char* text : {"true", "True", "TRUE"})
    CHECK(parse_config<Outer>(std::string("on: ") + text, "t.yaml").config.on);
  for (const char* text : {"false", "False", "FALSE"})
    CHECK_FALSE(parse_config<Outer>(std::string("on: ") + text, "t.yaml").config.on);
  for (const char* text : {"yes", "tRUE", "1", "'true'"})
    CHECK_THAT(mistakes(std::string("on: ") + text), Catch::Contains("true or false"));
}

TEST_CASE("tabs and characters that look like spaces are named with their place") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"inner:\n\thidden: 3", "t.yaml:2:1: not valid YAML: a tab indents this line"},
      {"inner:\n  words:\n  \t- a\n  hidden: 3", "t.yaml:3:1: not valid YAML: a tab"},
      {"# comment\n\t# another\ninner:\n\thidden: 3", "t.yaml:4:1: not valid YAML: a tab"},
      {"inner:\n\u00a0 hidden: 3", "t.yaml:2:1: '\u00a0 hidden' has a no-break space (U+00A0)"},
      {"inner: {hidden: \u202f3}", "a narrow no-break space (U+202F)"},
      {"title:\u00a0photos", "a no-break space (U+00A0)"},
      {"rate\u3000: 3", "an ideographic space (U+3000)"},
      {"rate: 3\u200b", "a zero-width space (U+200B)"},
      // Where the parser refuses a later place, because the line runs on.
      {"title:\u00a0x\ninner: {hidden: 3}", "t.yaml:1:7: not valid YAML: a no-break space"},
      {"# a\nrate: 3\ntitle:\u202fx\ninner:\n  hidden: 3", "t.yaml:3:7: not valid YAML: a narrow"},
      {"inner:\n  hidden:\u30003\n  weight: 1", "t.yaml:2:10: not valid YAML: an ideographic"},
      {"title\uff1ax\ninner: {hidden: 3}", "t.yaml:1:6: not valid YAML: a full-width colon"},
      {"title\uff1a x", "t.yaml:1:6: a full-width colon"},
      {"title: 'x\ninner: {hidden: 2}", "t.yaml:2:19: not valid YAML: a quote is not closed"},
      {"inner: {title: ${HOME}/x}", "a text such as ${HOME}/x needs quotes"},
      {"rate: 3\ntitle: \"abc\ninner: {hidden: 2}\n", "t.yaml:2:8: not valid YAML: the quote"},
      {"title: 'it''s\ninner: {hidden: 2}\n", "t.yaml:1:8: not valid YAML: the quote"},
      {"title: \"a \\\" b\ninner: {hidden: 2}\n", "t.yaml:1:8: not valid YAML: the quote"},
      {"'title: x\ninner: {hidden: 2}\n", "t.yaml:1:1: not valid YAML: the quote"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK_THAT(mistakes(text), Catch::Contains(expected));
  }
  // One in quotes, in a comment or inside of a text is not what is wrong.
  CHECK_THAT(mistakes("title: '\u00a0:'  #\u00a0x\nwords: a\u00a0b\nrate: [1"),
             Catch::Contains("not valid YAML") && !Catch::Contains("no-break"));
  CHECK_THAT(mistakes("title: x  # ${HOME}\nrate: [1"), !Catch::Contains("needs quotes"));
  CHECK(parse_config<Outer>("title: 'it''s\n  a \"'", "t.yaml").config.title == "it's a \"");
  CHECK(parse_config<Outer>("title: \"a \\\" b\"", "t.yaml").config.title == "a \" b");
  // What is meant stays: in quotes, and inside of a text.
  CHECK(parse_config<Outer>("title: '\u00a0x'", "t.yaml").config.title == "\u00a0x");
  CHECK(parse_config<Outer>("title: a\u00a0b", "t.yaml").config.title == "a\u00a0b");
  CHECK(parse_config<Outer>("inner: {hidden:\t3}", "t.yaml").config.inner.hidden == 3);
}
