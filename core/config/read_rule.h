// What else has to be chosen for an option to be read. Options declare it beside themselves
// (fields.h); idle.h finds those that are set and not read.
#pragma once

#include <string>
#include <vector>

namespace saccade {

// One of its choices has to be made.
struct ReadRule {
  struct Choice {
    std::string key;                  // `decoder.type`
    std::vector<std::string> values;  // as YAML
    bool other = false;               // any but these

    bool holds(const std::string& value) const;
    std::string text() const;  // `decoder.type is gru or lstm`, `encoder.cache is not ""`
  };
  std::vector<Choice> choices;

  std::string text() const;  // the choices, joined by "or"
};

// All rules in words, "" for none.
std::string text_of(const std::vector<ReadRule>& rules);

}  // namespace saccade
