#include "core/config/read_rule.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/listing.h"

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
  return key + (other ? " is not " : " is ") + join_or(values);
}

bool ReadRule::holds(const ConfigValues& config) const {
  return std::any_of(choices.begin(), choices.end(),
                     [&](const Choice& choice) { return choice.holds(config); });
}

std::string ReadRule::text() const { return join(choices, ", or ", &Choice::text); }

std::string text_of(const std::vector<ReadRule>& rules) {
  return join(rules, " and ", &ReadRule::text);
}

}  // namespace saccade
