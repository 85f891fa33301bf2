// The values of configs that are written in a form of their own, and the names that are suggested.
#include <vector>

#include "core/base/suggest.h"
#include "core/config/ramp.h"
#include "core/config/stop.h"
#include "tests/support/catch.h"

using namespace saccade;

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
