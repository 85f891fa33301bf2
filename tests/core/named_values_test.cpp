// Named sets of values (the arms of a comparison, the data sets of a run), and the paths below
// them.
#include "core/config/named_values.h"

#include "core/base/error.h"
#include "core/config/config.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace saccade;

namespace {

struct Inner {
  std::int64_t hidden = 8;
  void fields(Section& v) { v.field("hidden", hidden, "a width"); }
};

struct Outer {
  std::string title = "none";
  Inner inner;
  NamedValuesList arms;
  void fields(Section& v) {
    v.field("title", title, "a title");
    v.section("inner", inner, "a section");
    v.field("arms", arms, "arms");
  }
};

std::string mistakes(const std::string& text) {
  return test::message_of<UsageError>([&] { parse_config<Outer>(text, "t.yaml"); });
}

}  // namespace

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
    std::string text = test::message_of<UsageError>([&] { apply_override(loaded, assignment); });
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
