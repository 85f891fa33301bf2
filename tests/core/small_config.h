// A small config for the tests of the config reader, and what the reader says of a text or an
// override.
#pragma once

#include "core/config/axes.h"
#include "core/config/config.h"
#include "core/config/named_values.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {

enum class Colour { kRed, kGreen };
constexpr auto enum_table(Colour) {
  return enum_rows<Colour>({{Colour::kRed, "red", "warm"}, {Colour::kGreen, "green", "cold"}});
}

struct Inner {
  std::int64_t hidden = 8;
  std::optional<double> weight;
  std::vector<std::string> words;
  void fields(Section& v) {
    v.field("hidden", hidden, "a width", between(1, 100));
    v.field("weight", weight, "a weight", at_least(0));
    v.field("words", words, "some words");
  }
};

struct Outer {
  std::string title = "none";
  bool on = false;
  double rate = 0.5;
  Colour colour = Colour::kRed;
  Stop stop = epochs(3);
  Inner inner;
  Axes axes;
  NamedValuesList arms;
  void fields(Section& v) {
    v.field("title", title, "a title");
    v.field("on", on, "a switch");
    v.field("rate", rate, "a rate", above(0));
    v.field("colour", colour, "a colour");
    v.field("stop", stop, "an end");
    v.section("inner", inner, "a section");
    v.field("axes", axes, "axes");
    v.field("arms", arms, "arms");
  }
};

template <class F>
std::string message(const F& f) {
  return message_of<UsageError>(f);
}

inline std::string mistakes(const std::string& text) {
  return message([&] { parse_config<Outer>(text, "t.yaml"); });
}

inline std::string override_mistakes(const std::string& assignment) {
  Loaded<Outer> loaded;
  return message([&] { apply_override(loaded, assignment); });
}

}  // namespace saccade::test
