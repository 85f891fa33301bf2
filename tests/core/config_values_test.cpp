// Values of configs that are written in forms of their own: named sets of values (the arms of a
// comparison, the data sets of a run) and the paths below them; what YAML itself allows; amounts of
// training, ramps, and numbers that people write as they do elsewhere.
#include "core/base/suggest.h"
#include "core/config/ramp.h"
#include "core/config/stop.h"
#include "core/config/value.h"
#include "tests/core/small_config.h"

namespace saccade::test {

TEST_CASE("an override sets, adds or replaces what stands below named values") {
  Loaded<Outer> loaded;
  apply_override(loaded, "arms={plain: {}, coco: {a: 1}, coco.2017: {}}");
  const auto values = [&](std::size_t i) { return loaded.config.arms.at(i).values; };
  using Values = std::vector<std::pair<std::string, std::string>>;
  apply_override(loaded, "arms.plain.images=/a, b: {c} #1");  // literally, and safe in a map
  apply_override(loaded, "arms.coco.a=2");
  apply_override(loaded, "arms.coco.b={c: 3}");
  apply_override(loaded, "arms.coco.2017.b.c=4");  // names may have dots: the longest is meant
  CHECK(values(0) == Values{{"images", "\"/a, b: {c} #1\""}});
  CHECK(values(1) == Values{{"a", "2"}, {"b", "{c: 3}"}});
  CHECK(values(2) == Values{{"b.c", "4"}});
  apply_override(loaded, "arms.coco={d: 5}");
  apply_override(loaded, "arms.new={images: x, 'e': '6'}");
  CHECK(values(1) == Values{{"d", "5"}});
  CHECK(values(3) == Values{{"images", "x"}, {"e", "\"6\""}});
  CHECK(loaded.config.arms[3].name == "new");
  CHECK(loaded.config.arms[3].place.text() == "command line");
  CHECK(loaded.origins.of("arms") == "command line");
  const std::string printed = print_config(loaded);
  CHECK(parse_config<Outer>(printed, "printed.yaml").config.arms == loaded.config.arms);
  // What is plain in a block of a file stays one value, too.
  for (const std::string text : {"My photos, 2024", "a [b]", "a}", "x{1}"}) {
    INFO(text);
    const auto read = parse_config<Outer>("arms:\n  a:\n    images: " + text + "\n", "t.yaml");
    const auto again = parse_config<Outer>(print_config(read.config), "printed.yaml");
    CHECK(again.config.arms == read.config.arms);
    CHECK(again.config.arms[0].values == Values{{"images", yaml_text(text)}});
  }
  const auto wrong = [&](const std::string& assignment) {
    const auto before = loaded.config.arms;
    std::string text = message([&] { apply_override(loaded, assignment); });
    CHECK(loaded.config.arms == before);
    return text;
  };
  CHECK(wrong("arms.cocoo.images=x") ==
        "command line: arms.cocoo.images=x: arms has no entry 'cocoo' (did you mean 'coco'?); it "
        "has plain, coco, coco.2017, new, and arms.cocoo={...} adds one");
  CHECK_THAT(wrong("arms.coco=5"), Catch::Contains("arms.coco: expected a map of keys and values"));
  CHECK_THAT(wrong("arms.fresh=[a]"), Catch::Contains("arms.fresh: expected a map of keys"));
  CHECK_THAT(wrong("arms.coco={a"), Catch::Contains("not valid YAML"));
  loaded.config.arms.clear();
  CHECK_THAT(wrong("arms.a.b=5"), Catch::Contains("arms has no entry 'a'; it is empty"));
  CHECK_THAT(wrong("title.a=5"), Catch::Contains("'title' is a value and has no key 'a'"));
  // A file has no paths with dots, and says so.
  CHECK_THAT(mistakes("inner.hidden: 3"), Catch::Contains("(in a file it is written inner: "
                                                          "{hidden: ...})"));
  CHECK_THAT(mistakes("arms.a.b: 3"),
             Catch::Contains("(in a file it is written arms: {NAME: {...}, ...})"));
  CHECK_THAT(mistakes("inner.hiden: 3"), !Catch::Contains("in a file"));
  CHECK_THAT(mistakes("title.a: 3"), !Catch::Contains("in a file"));
}

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

TEST_CASE("stops in human units") {
  Stop stop;
  for (const char* text : {"10e", "5000u", "2h", "30m", "45s"}) {
    CHECK(parse_stop(text, stop) == "");
    CHECK(to_string(stop) == text);
  }
  CHECK(parse_stop("2h", stop) == "");
  CHECK(stop.seconds() == 7200);
  for (const char* text :
       {"", "e", "10", "10x", "-1e", "1.5h", "1h30m", " 1e", "99999999999999999999e"}) {
    INFO(text);
    Stop kept = epochs(7);
    CHECK(parse_stop(text, kept) != "");
    CHECK(kept == epochs(7));
  }
}

TEST_CASE("the nearest name is suggested, unless it is far away") {
  const std::vector<std::string> names = {"hidden", "embedding", "dropout", "lr"};
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(nearest_name("hiden", names) == "hidden");
  CHECK(nearest_name("Drop-out", names) == "dropout");
  CHECK(nearest_name("emb", names) == "embedding");
  CHECK(nearest_name("r", names) == "lr");
  // A letter is not meant for another one, also where it takes two bytes.
  const std::vector<std::string> letters{"a", "b", ",", "\u00e4"};
  CHECK(nearest_name("f", letters).empty());
  CHECK(nearest_name("\u00f6", letters).empty());
  CHECK(nearest_name("B", letters) == "b");
  CHECK(nearest_name("optimizer", names).empty());
  CHECK(nearest_name("", names).empty());
}

TEST_CASE("a ramp is a number, or a line between two numbers over an amount of training") {
  Ramp ramp;
  REQUIRE(parse_ramp("0.5", ramp).empty());
  CHECK(ramp.at(0, 10) == 0.5);
  REQUIRE(parse_ramp("1 -> 0.2 over 2e", ramp).empty());
  CHECK(to_string(ramp) == "1 -> 0.2 over 2e");
  CHECK(ramp.at(0, 10) == 1);
  CHECK(ramp.at(10, 10) == Approx(0.6));
  CHECK(ramp.at(20, 10) == 0.2);
  CHECK(ramp.at(1000, 10) == 0.2);
  REQUIRE(parse_ramp("0 -> 1 over 5u", ramp).empty());
  CHECK(ramp.at(2, 10) == Approx(0.4));
  for (const char* wrong : {"", "x", "1 ->", "1 -> 0", "1 -> x over 2e", "1 -> 0 over 2h",
                            "1 -> 0 over 0e", "1 over 2e -> 0"}) {
    INFO(wrong);
    CHECK_FALSE(parse_ramp(wrong, ramp).empty());
  }
}

static Node scalar(std::string text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::move(text);
  return node;
}

TEST_CASE("a number in another form, or of another size, is told with what to write") {
  // What to write instead, or another phrase of the message; "": nothing, because nobody knows.
  struct Form {
    const char* text;
    const char* integer;
    const char* number;
  };
  const char* large = "too large for an integer of 64 bits, which goes up to 9223372036854775807";
  const char* low =
      "too far below 0 for an integer of 64 bits, which goes down to -9223372036854775808";
  const char* ok = nullptr;
  const Form forms[] = {{"1e400", large, "too large for a double, which goes up to"},
                        {"+1e400", large, "too large for a double"},
                        {"-1e400", low, "too far below 0 for a double, which goes down to"},
                        {"1e99999999999", large, "too large for a double"},
                        {"1e-400", "write 0", "closer to 0 than a double can be"},
                        {"-1e-400", "write 0", "closer to 0 than a double can be"},
                        {"99999999999999999999", large, ok},
                        {"-99999999999999999999", low, ok},
                        {"9223372036854775808", large, ok},
                        {"1e30", large, ok},
                        {"1e16", "write all of its digits", ok},
                        {"1e15", "write 1000000000000000", ok},
                        {"2.5", "write 2 or 3", ok},
                        {"-2.5", "write -3 or -2", ok},
                        {"2.0", "write 2", ok},
                        {".inf", "write one in digits", "is not a finite number"},
                        {"-.Inf", "write one in digits", "is not a finite number"},
                        {".nan", "write one in digits", "is not a finite number"},
                        {"NaN", "write one in digits", "is not a finite number"},
                        {"1_000", "write 1000", "write 1000"},
                        {"1 000", "write 1000", "write 1000"},
                        {"1'000'000", "write 1000000", "write 1000000"},
                        {"0x1F", "write 31", "write 31"},
                        {"-0x1f", "write -31", "write -31"},
                        {"0o17", "write 15", "write 15"},
                        {"0b11", "write 3", "write 3"},
                        {"1,5", "write 1 or 2", "write 1.5"},
                        {"-0,25", "write -1 or 0", "write -0.25"},
                        {"1,000", "write 1000", "write 1000 or 1.000"},
                        {"1,000,000", "write 1000000", "write 1000000"},
                        {"1,000.5", "write 1000 or 1001", "write 1000.5"},
                        {"\u0663", "write 3", "write 3"},
                        {"\uff11\uff12", "write 12", "write 12"},
                        {"\u0967\u0968", "write 12", "write 12"},
                        {"\u22125", "write -5", "write -5"},
                        {"1\u202f000", "write 1000", "write 1000"},
                        {"1.000,5", "write 1000 or 1001", "write 1000.5"},
                        {"1.000.000,25", "write 1000000 or 1000001", "write 1000000.25"},
                        {"1.000.000", "write 1000000", "write 1000000"},
                        {"0,001", "write 0 or 1", "write 0.001"},
                        {"0,500", "write 0 or 1", "write 0.500"},
                        {"1000,000", "write 1000", "write 1000.000"},
                        {"-100,000", "write -100000", "write -100000 or -100.000"},
                        {"1.2.3", "", ""},
                        {"1.00,5", "", ""},
                        {"12abc", "", ""},
                        {"1e", "", ""},
                        {"1/2", "", ""},
                        {"_1", "", ""},
                        {"0_10", "", ""},
                        {"1__0", "", ""},
                        {"\u00bd", "", ""},
                        {"-", "", ""}};
  for (const Form& form : forms) {
    INFO(form.text);
    const Node node = scalar(form.text);
    const auto said_of = [](const Node& of, auto value) { return parse_value(of, value); };
    const auto check = [&](const std::string& said, const char* wanted, const char* kind,
                           auto value) {
      if (*wanted == '\0') {
        CHECK(said == std::string("is not ") + kind);
        return;
      }
      const std::string write = "; write ";
      CHECK_THAT(said, Catch::Contains(wanted));
      if (!std::string(wanted).starts_with("write ")) return;
      CHECK_THAT(said, Catch::EndsWith("; " + std::string(wanted)));
      // What a message says to write is read.
      std::string remedy = said.substr(said.find(write) + write.size());
      if (remedy.ends_with("digits")) return;
      for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t end = remedy.find(" or ", at);
        CHECK(said_of(scalar(remedy.substr(at, end - at)), value).empty());
        at = end == std::string::npos ? end : end + 4;
      }
    };
    check(said_of(node, std::int64_t{}), form.integer, "an integer", std::int64_t{});
    if (form.number)
      check(said_of(node, double{}), form.number, "a number", double{});
    else
      CHECK(said_of(node, double{}).empty());
  }
}

TEST_CASE("a message names one thing to write") {
  Ramp ramp;
  CHECK(parse_ramp("1,5", ramp) == "is not a number; write 1.5");
  CHECK(parse_ramp("many", ramp) == "is not a number; write 0.5, or 1 -> 0.1 over 10e");
  CHECK(parse_ramp("1,5 -> 0 over 3e", ramp) == "is not a number; write 1.5");
  Stop stop;
  for (const char* text : {"5000000000e", "99999999999999999999e", "-1e"})
    CHECK_THAT(parse_stop(text, stop), Catch::StartsWith("is out of range; write 0 to"));
}

}  // namespace saccade::test
