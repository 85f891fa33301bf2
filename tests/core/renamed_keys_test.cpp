// Config keys that got other names: what was written with the old ones goes on meaning the same.
#include "core/config/config.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {
namespace {

using Catch::Matchers::Contains;

struct Inner {
  std::int64_t width = 8;
  template <class V>
  void fields(V& v) {
    v.field("width", width, "a width", between(1, 100));
    v.retired("shape", "square");
    v.renamed("hidden", "width");
  }
};

struct Outer {
  Inner decoder;
  template <class V>
  void fields(V& v) {
    v.section("decoder", decoder, "a section");
    v.renamed("cell", "decoder");
  }
};

std::string refusal(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return test::message_of<UsageError>([&] { parse_config<Outer>(yaml, "t.yaml", overrides); });
}

}  // namespace

TEST_CASE("the old names of values and sections are read as the new ones") {
  for (const char* yaml :
       {"decoder: {width: 3}", "decoder: {hidden: 3}", "cell: {width: 3}", "cell: {hidden: 3}"}) {
    const Loaded<Outer> loaded = parse_config<Outer>(yaml, "t.yaml");
    CHECK(loaded.config.decoder.width == 3);
    CHECK(loaded.origins.of("decoder.width") == "t.yaml:1");
    const std::string printed = print_config(loaded.config);
    CHECK_THAT(printed, Contains("width: 3") && !Contains("hidden") && !Contains("cell"));
  }
  for (const char* assignment :
       {"decoder.width=4", "decoder.hidden=4", "cell.width=4", "cell.hidden=4", "cell={hidden: 4}"})
    CHECK(parse_config<Outer>("decoder: {width: 3}", "t.yaml", std::vector<std::string>{assignment})
              .config.decoder.width == 4);
  // A layer above may use the other name.
  CHECK(parse_config<Outer>("cell: {hidden: 3}", "t.yaml",
                            std::vector<std::string>{"decoder.width=4"})
            .config.decoder.width == 4);
}

TEST_CASE("mistakes in a value are reported under its new name, and to give both names is one") {
  CHECK_THAT(refusal("cell: {hidden: 300}"), Contains("decoder.width"));
  CHECK_THAT(refusal("decoder: {hidden: 3, width: 4}"),
             Contains("t.yaml:1:11: decoder.hidden is called decoder.width now, and both are set"));
  CHECK_THAT(refusal("cell: {width: 3}\ndecoder: {width: 3}"),
             Contains("t.yaml:1:1: cell is called decoder now"));
  CHECK_THAT(refusal("cell: {hiden: 3}"), Contains("unknown key 'hiden' in decoder"));
  CHECK_THAT(refusal("{}", {"decoder.hiden=3"}), Contains("unknown key"));
}

TEST_CASE("names of the past are recognised in paths") {
  CHECK(outdated<Outer>("decoder.width").empty());
  CHECK(outdated<Outer>("decoder").empty());
  CHECK(outdated<Outer>("decoder.none").empty());
  CHECK(outdated<Outer>("decoder.width.none").empty());
  CHECK(outdated<Outer>("decoder.hidden") == "decoder.hidden is called decoder.width now");
  CHECK(outdated<Outer>("cell.width") == "cell.width is called decoder.width now");
  CHECK(outdated<Outer>("cell.hidden") == "cell.hidden is called decoder.width now");
  CHECK(outdated<Outer>("cell") == "cell is called decoder now");
  CHECK(outdated<Outer>("decoder.shape") == "decoder.shape was removed");
  CHECK(outdated<Outer>("cell.shape") == "cell.shape was removed");
}

}  // namespace saccade
