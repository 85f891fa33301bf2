#include "core/config/read_rule.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {

bool ReadRule::Choice::allows(const std::string& value) const {
  return (std::find(values.begin(), values.end(), value) != values.end()) != other;
}

bool ReadRule::Choice::holds(const ConfigValues& config) const {
  const auto value = config.find(key);
  SACCADE_ASSERT(value != config.end(), "no config key '", key, "'");
  return allows(value->second);
}

std::string ReadRule::Choice::text() const {
  std::string out = key + (other ? " is not " : " is ");
  for (std::size_t i = 0; i < values.size(); ++i)
    out += (i == 0 ? "" : i + 1 < values.size() ? ", " : " or ") + values[i];
  return out;
}

bool ReadRule::holds(const ConfigValues& config) const {
  return std::any_of(choices.begin(), choices.end(),
                     [&](const Choice& choice) { return choice.holds(config); });
}

std::string ReadRule::text() const {
  std::string out;
  for (const Choice& choice : choices) out += (out.empty() ? "" : ", or ") + choice.text();
  return out;
}

std::string text_of(const std::vector<ReadRule>& rules) {
  std::string out;
  for (const ReadRule& rule : rules) out += (out.empty() ? "" : " and ") + rule.text();
  return out;
}

}  // namespace saccade
