// The other choices that an option depends on. Options declare such rules beside themselves
// (fields.h): where they are read (idle.h finds options that are set and not read), and where they
// have a trait (traits.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace saccade {

// The values of a config as YAML, by their paths.
using ConfigValues = std::map<std::string, std::string>;

// A rule that holds when at least one of its choices holds.
struct ReadRule {
  struct Choice {
    std::string key;                  // `decoder.type`
    std::vector<std::string> values;  // as YAML
    bool other = false;               // any value except these

    bool allows(const std::string& value) const;  // as YAML
    bool holds(const ConfigValues& config) const;
    std::string text() const;  // `decoder.type is gru or lstm`, `encoder.cache is not ""`
  };
  std::vector<Choice> choices;

  bool holds(const ConfigValues& config) const;
  std::string text() const;  // the choices, joined by "or"

  // An alternative: the key has one of these values, or none of them.
  template <class... V>
  ReadRule or_when(std::string key, const V&... values) const;
  template <class... V>
  ReadRule or_unless(std::string key, const V&... values) const;
};

// All rules in words; "" if there are none.
std::string text_of(const std::vector<ReadRule>& rules);

namespace config_detail {
inline std::string choice_text(const std::string& yaml) { return yaml; }
template <NamedEnum E>
std::string choice_text(E value) {
  return print_value(value);
}
}  // namespace config_detail

// The rule that a key has one of these values (enumerators, names, or texts as in YAML), or none of
// them.
template <class... V>
ReadRule when(std::string key, const V&... values) {
  return {.choices = {{.key = std::move(key), .values = {config_detail::choice_text(values)...}}}};
}
template <class... V>
ReadRule unless(std::string key, const V&... values) {
  return {.choices = {{.key = std::move(key),
                       .values = {config_detail::choice_text(values)...},
                       .other = true}}};
}

inline ReadRule when(std::string key, std::vector<std::string> names) {
  return {.choices = {{.key = std::move(key), .values = std::move(names)}}};
}
inline ReadRule unless(std::string key, std::vector<std::string> names) {
  return {.choices = {{.key = std::move(key), .values = std::move(names), .other = true}}};
}

template <class... V>
ReadRule ReadRule::or_when(std::string key, const V&... values) const {
  ReadRule out = *this;
  out.choices.push_back(when(std::move(key), values...).choices[0]);
  return out;
}
template <class... V>
ReadRule ReadRule::or_unless(std::string key, const V&... values) const {
  ReadRule out = *this;
  out.choices.push_back(unless(std::move(key), values...).choices[0]);
  return out;
}

}  // namespace saccade
