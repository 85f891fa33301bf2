// Numbers that people write as they do elsewhere: what is wrong with them, and what to write.
#include "core/config/number_form.h"

#include "core/config/value.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

Node scalar(std::string text) {
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

}  // namespace
}  // namespace saccade
