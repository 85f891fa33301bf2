// The other choices that an option needs to be read. Options declare such rules beside themselves
// (fields.h); idle.h finds options that are set and not read.
#pragma once

#include <string>
#include <vector>

namespace saccade {

// A rule that holds when at least one of its choices holds.
struct ReadRule {
  struct Choice {
    std::string key;                  // `decoder.type`
    std::vector<std::string> values;  // as YAML
    bool other = false;               // any value except these

    bool holds(const std::string& value) const;
    std::string text() const;  // `decoder.type is gru or lstm`, `encoder.cache is not ""`
  };
  std::vector<Choice> choices;

  std::string text() const;  // the choices, joined by "or"
};

// All rules in words; "" if there are none.
std::string text_of(const std::vector<ReadRule>& rules);

}  // namespace saccade
