// The reader and the printer of configs: types, places, suggestions, inheritance.
#include <clocale>
#include <ctime>

#include "core/base/random.h"
#include "tests/core/small_config.h"

namespace saccade::test {

namespace fs = std::filesystem;

TEST_CASE("a config is read over its defaults and knows where values come from") {
  const auto loaded = parse_config<Outer>(
      "title: 2024 it's\nrate: 4e-4\ncolour: green\nstop: 90s\n"
      "inner:\n  weight: .5\n  words: [a, 'b c', \"007\"]\n",
      "t.yaml");
  const Outer& c = loaded.config;
  CHECK(c.title == "2024 it's");
  CHECK(c.rate == 4e-4);
  CHECK(c.colour == Colour::kGreen);
  CHECK(c.stop == seconds(90));
  CHECK(c.inner.hidden == 8);
  CHECK(c.inner.weight == 0.5);
  CHECK(c.inner.words == std::vector<std::string>{"a", "b c", "007"});
  CHECK(loaded.origins.of("inner.weight") == "t.yaml:6");
  CHECK(loaded.origins.of("inner.hidden") == "default");
}

TEST_CASE("all mistakes of a config are reported at once, with place and suggestion") {
  CHECK(mistakes("titel: x\n"
                 "rate: -1\n"
                 "inner:\n"
                 "  hiden: 3\n"
                 "  hidden: 010\n"
                 "  words: abc\n"
                 "colour: gren\n"
                 "rate: 2\n"
                 "on: yes\n"
                 "stop: 10\n") ==
        "t.yaml:1:1: unknown key 'titel' at the top level (did you mean 'title'?)\n"
        "t.yaml:2:7: rate: '-1' is out of range; allowed: > 0\n"
        "t.yaml:4:3: unknown key 'hiden' in inner (did you mean 'hidden'?)\n"
        "t.yaml:5:11: inner.hidden: '010' has a leading zero, which YAML reads as octal; remove "
        "the zero\n"
        "t.yaml:6:10: inner.words: expected a list of texts, got 'abc'\n"
        "t.yaml:7:9: colour: 'gren' is not one of red|green (did you mean 'green'?)\n"
        "t.yaml:8:1: duplicate key 'rate' (first at line 2)\n"
        "t.yaml:9:5: on: 'yes' is not true or false\n"
        "t.yaml:10:7: stop: '10' is not an amount of training; write 10e (epochs), 5000u "
        "(updates), 2h, 30m or 45s (time)");
  CHECK(mistakes("hidden: 3") ==
        "t.yaml:1:1: unknown key 'hidden' at the top level (did you mean 'inner.hidden'?)");
}

TEST_CASE("values of a wrong type are refused") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"inner: {hidden: 1e1}", "is not an integer; write 10"},
      {"inner: {hidden: 2.5}", "is not an integer"},
      {"inner: {hidden: 0x10}", "is not an integer; write 16"},
      {"inner: {hidden: '3'}", "remove the quotes"},
      {"inner: {hidden: 99999999999999999999}", "64 bits"},
      {"inner: {hidden: [1]}", "expected an integer, got a list"},
      {"inner: {hidden: }", "expected an integer, got nothing"},
      {"inner: 3", "'inner' is a section of keys, got '3'"},
      {"inner: [a]", "'inner' is a section of keys, got a list"},
      {"rate: .nan", "is not a finite number"},
      {"rate: nan", "is not a finite number"},
      {"rate: 1e999", "is too large for a double"},
      {"rate: 010.5", "leading zero"},
      {"rate: 1,5", "is not a number; write 1.5"},
      {"title: {a: b}", "expected text, got a section"},
      {"title:", "write '' for empty text"},
      {"axes: {inner.hidden: 3}", "axes.inner.hidden: expected a list of the values"},
      {"arms: [a]", "{NAME: {KEY: VALUE}, OTHER: {KEY: VALUE}}, got a list"},
      {"arms: {a: 3}", "arms.a: expected a map of keys and values, got '3'"},
      {"arms: {'': {rate: 1}}", "arms: an entry needs a name of one line, got ''"},
      {"arms: {a: {}, a: {rate: 1}}", "duplicate key 'a'"},
      {"- a", "the config is a section of keys, got a list"},
      {"just words", "the config is a section of keys"},
      {"rate: !!float 3", "tags such as"},
      {"<<: {rate: 3}", "'<<' merges are not supported"},
      {"? [a]\n: b", "a key must be a word"},
      {"rate: 1\n---\nrate: 2", "more than one YAML document"},
      {"rate: [1", "not valid YAML"},
      {"base: x.yaml", "unknown key 'base'"},
      {"", "the config is empty"},
      {"# only a comment\n", "the config is empty"},
      {"title: \xff", "not UTF-8"},
      {std::string("title: a\0b", 10), "zero byte"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK_THAT(mistakes(text), Catch::Contains(expected));
  }
}

TEST_CASE("anchors work, cycles and bombs are refused quickly") {
  CHECK(parse_config<Outer>("title: &t hello\ninner: {words: [*t, *t]}", "t.yaml")
            .config.inner.words == std::vector<std::string>{"hello", "hello"});
  CHECK_THAT(mistakes("inner: &a {words: [*a]}"), Catch::Contains("t.yaml:1:20: this alias"));
  CHECK_THAT(mistakes("inner: {words: *nothing}"), Catch::Contains("not valid YAML"));

  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int level = 1; level < 10; ++level) {
    const std::string last = "*a" + std::to_string(level - 1), name = std::to_string(level);
    bomb += "a" + name + ": &a" + name + " [";
    for (int i = 0; i < 10; ++i) bomb += (i > 0 ? "," : "") + last;
    bomb += "]\n";
  }
  std::vector<std::string> hostile = {bomb, std::string(200000, '['), std::string(200000, '{'),
                                      std::string(200000, '-'), std::string(100000, '?')};
  std::string nested, wide, keys;
  for (int i = 0; i < 5000; ++i) nested += "- ";
  for (int i = 0; i < 60000; ++i) wide += "a, ";
  for (int i = 0; i < 15000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  // 4,000 aliases of a text of 64 kB would be 256 MB.
  std::string long_texts = "a: &a " + std::string(65000, 'x') + "\nb: [";
  for (int i = 0; i < 4000; ++i) long_texts += "*a,";
  std::string long_keys = "a: &a {" + std::string(65000, 'k') + ": 1}\nb: [";
  for (int i = 0; i < 4000; ++i) long_keys += "*a,";
  hostile.insert(hostile.end(),
                 {nested, "title: [" + wide + "]", keys, long_texts + "]", long_keys + "]"});
  CHECK_THAT(mistakes(std::string(200000, '[')), Catch::Contains("nested too deep"));
  for (const std::string& text : hostile) {
    INFO(text.substr(0, 40));
    const std::clock_t start = std::clock();  // processor time, not wall time
    CHECK(mistakes(text) != "");
    CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 1.0);
  }
}

TEST_CASE("a message stays short, whatever it quotes") {
  for (const std::string& text :
       {std::string(1000, 'k') + ": 1", "rate: " + std::string(10000, '7') + "x",
        "inner: {hidden: " + std::string(10000, 'w') + "}",
        "colour: " + std::string(3000, 'x') + "\u00e9"}) {
    const std::string message = mistakes(text);
    INFO(message);
    CHECK(message.size() < 700);
    CHECK_THAT(message, Catch::StartsWith("t.yaml:1:"));
    CHECK_THAT(message, Catch::Contains("bytes left out"));
  }
}

TEST_CASE("overrides are typed like the file and name themselves in mistakes") {
  Loaded<Outer> loaded;
  apply_override(loaded, "inner.hidden=3");
  apply_override(loaded, "title=/data/a: b #1, [x");
  apply_override(loaded, "inner.words=[p, 'q r']");
  apply_override(loaded, "inner.weight=2");
  apply_override(loaded, "stop=5000u", "axis");
  CHECK(loaded.config.inner.hidden == 3);
  CHECK(loaded.config.title == "/data/a: b #1, [x");
  CHECK(loaded.config.inner.words == std::vector<std::string>{"p", "q r"});
  CHECK(loaded.config.inner.weight == 2.0);
  CHECK(loaded.config.stop == updates(5000));
  CHECK(loaded.origins.of("inner.hidden") == "command line");
  CHECK(loaded.origins.of("stop") == "axis");
  apply_override(loaded, "inner.weight=null");
  CHECK(!loaded.config.inner.weight);
  apply_override(loaded, "title='null'");
  CHECK(loaded.config.title == "null");
  apply_override(loaded, "title=");
  CHECK(loaded.config.title.empty());
  apply_override(loaded, "inner={hidden: 7, weight: 1}");
  CHECK(loaded.config.inner.hidden == 7);
  CHECK(loaded.config.inner.words.size() == 2);

  CHECK(override_mistakes("inner.hiden=3") ==
        "command line: inner.hiden=3: unknown key 'hiden' in inner (did you mean 'hidden'?)");
  CHECK(override_mistakes("inner.hidden=many") ==
        "command line: inner.hidden=many: inner.hidden: 'many' is not an integer");
  CHECK_THAT(override_mistakes("inner=3"), Catch::Contains("'inner' is a section of keys"));
  CHECK_THAT(override_mistakes("rate.x=3"), Catch::Contains("'rate' is a value"));
  CHECK_THAT(override_mistakes("rate"), Catch::Contains("the form key.path=value"));
  CHECK_THAT(override_mistakes("=3"), Catch::Contains("the form key.path=value"));
  CHECK_THAT(override_mistakes("inner..hidden=3"), Catch::Contains("unknown key ''"));
  CHECK_THAT(override_mistakes("inner.words=[a"), Catch::Contains("not valid YAML"));
  CHECK_THAT(override_mistakes("title=\xff"), Catch::Contains("not UTF-8"));

  const std::vector<std::string> several = {"ratee=1", "rate=x"};
  CHECK(
      test::message_of<UsageError>([&] { parse_config<Outer>("onn: true", "t.yaml", several); }) ==
      "t.yaml:1:1: unknown key 'onn' at the top level (did you mean 'on'?)\n"
      "command line: ratee=1: unknown key 'ratee' at the top level (did you mean 'rate'?)\n"
      "command line: rate=x: rate: 'x' is not a number");
  // Where another program sets the values.
  const std::vector<std::string> one = {"rate=x"};
  CHECK(test::message_of<UsageError>([&] {
          parse_config<Outer>("on: true", "t.yaml", one, {}, "Options::set");
        }) == "Options::set: rate=x: rate: 'x' is not a number");
}

TEST_CASE("base files inherit, relative to the file that names them") {
  const TempFolder folder("config");
  fs::create_directories(folder / "sub");
  folder.write("root.yaml", "title: root\nrate: 2\ninner: {hidden: 5}\n");
  folder.write("sub/middle.yaml", "base: ../root.yaml\nrate: 3\n");
  const auto leaf = folder.write("leaf.yaml", "base: sub/middle.yaml\ninner: {weight: 1}\n");
  const auto loaded = load_config<Outer>(leaf);
  CHECK(loaded.config.title == "root");
  CHECK(loaded.config.rate == 3);
  CHECK(loaded.config.inner.hidden == 5);
  CHECK(loaded.config.inner.weight == 1.0);
  CHECK_THAT(loaded.origins.of("title"),
             Catch::StartsWith("base ") && Catch::EndsWith("root.yaml:1"));
  CHECK(loaded.origins.of("inner.weight") == leaf.string() + ":2");

  const auto error = [&](const std::string& text) {
    const auto file = folder.write("bad.yaml", text);
    return test::message_of<UsageError>([&] { load_config<Outer>(file); });
  };
  CHECK_THAT(error("base: bad.yaml"),
             Catch::Contains("bad.yaml:1:7: ") && Catch::Contains("inherits from itself: a cycle"));
  CHECK_THAT(error("rate: 0\nbase: rot.yaml"),
             Catch::Contains("no such file (did you mean 'root.yaml'?)") &&
                 Catch::Contains("bad.yaml:1:7: rate: '0' is out of range"));
  CHECK_THAT(error("base: sub"), Catch::Contains("is a directory"));
  CHECK_THAT(error("base: [a]"), Catch::Contains("expected the name of a YAML file"));
  CHECK_THAT(test::message_of<UsageError>([&] { load_config<Outer>(folder.path()); }),
             Catch::Contains("is a directory"));
  CHECK_THAT(test::message_of<UsageError>([&] { load_config<Outer>(folder / "leav.yaml"); }),
             Catch::EndsWith("leav.yaml: no such file (did you mean 'leaf.yaml'?)"));
  CHECK_THAT(test::message_of<UsageError>([&] { load_config<Outer>(folder / "leaf.yaml" / "x"); }),
             Catch::Contains("leaf.yaml/x: "));
  CHECK_THAT(error(std::string(300 * 1024, '#')), Catch::Contains("larger than 256 KiB"));
  // A file of another kind is told as that, also where it is large.
  const std::string large(300 * 1024, '\xff');
  for (const auto& [bytes, kind] : std::vector<std::pair<std::string, std::string>>{
           {"\x1f\x8b\x08" + large, "it is compressed (gzip); unpack it with gunzip"},
           {"\x89HDF\r\n\x1a\n\xff", "it is an HDF5 file of another program"},
           {"\x93NUMPY\x01", "it is a NumPy array (.npy); a config is a YAML file"},
           {"\x80\x04\x95\x10", "it is a Python pickle; a config is a YAML file"},
           {"PK\x03\x04 plain/data.pkl" + large, "it is a PyTorch file; a config is a YAML file"},
           {"\x08\x07\x12\x07pytorch" + large, "it is an ONNX model; a config is a YAML file"},
           {"%PDF-1.4\n", "it is a PDF document; a config is a YAML file"},
           {"<!DOCTYPE html>\n<html>", "it is a web page"},
           {"version https://git-lfs.github.com/spec/v1\n", "it is a Git LFS pointer"}}) {
    INFO(kind);
    CHECK_THAT(error(bytes), Catch::Contains("is no config: " + kind));
    folder.write("other.yaml", bytes);
    CHECK_THAT(error("base: other.yaml"), Catch::Contains("other.yaml is no config: " + kind));
  }
  CHECK(error("{\"rate\": 0.5}").empty());  // JSON is YAML
}

TEST_CASE("a printed config reads back equal") {
  const char* locale = std::setlocale(LC_ALL, nullptr);
  const std::string old_locale = locale == nullptr ? "C" : locale;
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // if it exists: no commas may appear
  Loaded<Outer> loaded;
  std::istringstream strings(
      "|null|~|true|010|1e3|a: b|a #b|- x|[a|*a|&a|!a|%a|@a|`a|'|\"|\\|"
      "tab\there|line\nfeed| lead|trail |caf\xC3\xA9|<<|a\rb|\x01|\xC2\x85|"
      "\xE2\x80\xA8|\xEF\xBB\xBF|#|a,b|?|:|=|{}|\x7f|\xF0\x9F\x98\x80");
  for (std::string text; std::getline(strings, text, '|');) {
    INFO(text);
    loaded.config.title = text;
    loaded.config.inner.words = {text, "x", text};
    loaded.config.axes = {{"title", {yaml_text(text), "[a, b]"}}, {text, {"1"}}};
    loaded.config.arms = {{.name = "plain", .values = {}},
                          {.name = "x", .values = {{text, "{b: 1}"}, {"title", yaml_text(text)}}}};
    const std::string printed = print_config(loaded);
    const auto again = parse_config<Outer>(printed, "printed.yaml");
    CHECK(again.config.title == text);
    CHECK(again.config.inner.words == loaded.config.inner.words);
    CHECK(again.config.axes == loaded.config.axes);
    CHECK(again.config.arms == loaded.config.arms);
    CHECK(config_differences(loaded.config, again.config).empty());
  }
  Random random({.seed = 2, .stream = Stream::kTest});
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const double value =
        std::ldexp(random.uniform() + 1e-9, static_cast<int>(random.below(600)) - 300);
    loaded.config.rate = value;
    loaded.config.inner.weight = std::floor(value);
    const auto again = parse_config<Outer>(print_config(loaded.config), "printed.yaml");
    if (again.config.rate != value || again.config.inner.weight != std::floor(value)) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(print_value(4e-4) == "4e-4");
  CHECK(print_value(1e20) == "1e20");
  CHECK(print_value(-0.5) == "-0.5");
  std::setlocale(LC_ALL, old_locale.c_str());
}

TEST_CASE("the origin is printed behind each value") {
  const std::vector<std::string> overrides = {"inner.hidden=9"};
  const auto loaded = parse_config<Outer>("rate: 2", "a b.yaml", overrides);
  CHECK_THAT(print_config(loaded), Catch::StartsWith("title: none  # default\n"
                                                     "on: false  # default\n"
                                                     "rate: 2  # a b.yaml:1\n") &&
                                       Catch::Contains("inner:\n  hidden: 9  # command line\n"));
}

TEST_CASE("two configs are compared by path") {
  Outer a, b;
  b.inner.hidden = 9;
  b.colour = Colour::kGreen;
  const auto found = config_differences(a, b);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "colour");
  CHECK(found[1].path == "inner.hidden");
  CHECK(found[1].first == "8");
  CHECK(found[1].second == "9");
}

}  // namespace saccade::test
