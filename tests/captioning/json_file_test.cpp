// JsonValue against the library's own tree, on texts drawn at random and on the corners of JSON.
#include "captioning/scoring/files/json_file.h"

#include <nlohmann/json.hpp>

#include "captioning/scoring/files/json_file.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;

// A value of at most so many levels, whose names repeat and whose texts need escapes.
json drawn(Random& random, int levels) {
  static const std::vector<std::string> texts = {"", "a", "a\"b\\", "ünï", "\n\t", "日本"};
  const auto text = [&] { return texts[random.below(texts.size())]; };
  switch (random.below(levels > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 1;
    case 2:
      return -static_cast<std::int64_t>(random.below(1000));
    case 3:
      return random.below(2) == 1 ? random.below(1000) : ~std::uint64_t{0} - random.below(9);
    case 4:
      return static_cast<double>(random.below(1000)) / 8 - 20;
    case 5:
      return text();
    case 6: {
      json list = json::array();
      for (auto n = random.below(5); n > 0; --n) list.push_back(drawn(random, levels - 1));
      return list;
    }
    default: {
      json object = json::object();
      for (auto n = random.below(5); n > 0; --n) object[text()] = drawn(random, levels - 1);
      return object;
    }
  }
}

void require_equal(const JsonValue& value, const json& expected) {
  REQUIRE(value.type() == expected.type_name());
  REQUIRE(value.is_text() == expected.is_string());
  REQUIRE(value.is_number() == expected.is_number());
  if (expected.is_string()) REQUIRE(value.text() == expected.get<std::string>());
  if (expected.is_number()) REQUIRE(value.number() == expected.get<double>());
  if (expected.is_number_integer() && expected.get<double>() < 0x1p62)
    REQUIRE(value.integer() == expected.get<std::int64_t>());
  if (expected.is_array()) {
    REQUIRE(value.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) require_equal(value.at(i), expected[i]);
  }
  if (!expected.is_object()) return;
  std::vector<std::string> names;
  for (const auto& [name, member] : expected.items()) {
    names.push_back(name);
    const auto found = value.find(name.c_str());
    REQUIRE(found.has_value() == !member.is_null());
    if (found) require_equal(*found, member);
  }
  REQUIRE(value.names() == names);
}

TEST_CASE("a JSON file has the values that the library's tree has", "[files]") {
  Random random(RandomKey{.seed = 7});
  for (int i = 0; i < 300; ++i) {
    const json expected = drawn(random, 5);
    require_equal(JsonValue::parse(expected.dump(i % 2 == 0 ? -1 : 1), "x.json"), expected);
  }
}

TEST_CASE("of a name that a JSON object has twice, the last one counts", "[files]") {
  const JsonValue value = JsonValue::parse(R"({"b": 1, "a": [2, 3], "b": {"c": 4}, "a": 5})", "x");
  CHECK(value.names() == std::vector<std::string>{"a", "b"});
  CHECK(value["a"].integer() == 5);
  CHECK(value["b"]["c"].integer() == 4);
}

TEST_CASE("what is wrong in a JSON file is told with its place", "[files]") {
  const JsonValue value = JsonValue::parse(R"({"a": [{"b": "t"}, 1.5, 1e300]})", "x.json");
  const auto told = [](auto&& read) { return message_of<DataError>(read); };
  CHECK_THAT(told([&] { value["c"]; }), Contains("x.json: 'c' is missing"));
  CHECK_THAT(told([&] { value["a"].at(0)["b"].integer(); }),
             Contains("x.json: a[0].b: expected an integer") && Contains("got string \"t\""));
  CHECK_THAT(told([&] { value["a"].at(1).integer(); }), Contains("got number 1.5"));
  CHECK_THAT(told([&] { value["a"].at(2).integer(); }), Contains("got number 1e+300"));
  CHECK_THAT(told([&] { value["a"].text(); }), Contains("expected a string, got array"));
  CHECK_THAT(told([] { JsonValue::parse("[1,\n2,\n]", "x.json"); }),
             Contains("x.json:3: broken JSON at byte 8 of 8"));
  CHECK_THAT(told([] { JsonValue::parse("[1e999]", "x.json"); }),
             Contains("x.json: broken JSON: "));
}

}  // namespace
}  // namespace saccade::test
