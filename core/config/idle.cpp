#include "core/config/idle.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/error.h"

namespace saccade {

bool ReadRule::Choice::holds(const std::string& value) const {
  return (std::find(values.begin(), values.end(), value) != values.end()) != other;
}

std::string ReadRule::Choice::text() const {
  std::string out = key + (other ? " is not " : " is ");
  for (std::size_t i = 0; i < values.size(); ++i)
    out += (i == 0 ? "" : i + 1 < values.size() ? ", " : " or ") + values[i];
  return out;
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

namespace config_detail {

namespace {

using Values = std::map<std::string, std::string>;  // the values of a config, as YAML

// Calls body(path, field) for every value, in the order of declaration.
void for_values(const Section& section, const std::string& path,
                const std::function<void(const std::string&, const Section::Field&)>& body) {
  for (const Section::Field& field : section.fields()) {
    const std::string own = path.empty() ? field.name : path + "." + field.name;
    if (field.section)
      for_values(*field.section, own, body);
    else
      body(own, field);
  }
}

Values values_of(const Section& section) {
  Values values;
  for_values(section, "", [&](const std::string& path, const Section::Field& field) {
    values[path] = field.slot->text();
  });
  return values;
}

bool holds(const ReadRule& rule, const Values& values) {
  return std::any_of(rule.choices.begin(), rule.choices.end(), [&](const auto& choice) {
    const auto value = values.find(choice.key);
    SACCADE_ASSERT(value != values.end(), "no config key '", choice.key, "'");
    return choice.holds(value->second);
  });
}

std::vector<ReadRule> broken_rules(const Section::Field& field, const Values& values) {
  std::vector<ReadRule> broken;
  std::copy_if(field.rules.begin(), field.rules.end(), std::back_inserter(broken),
               [&](const ReadRule& rule) { return !holds(rule, values); });
  return broken;
}

std::string reason(const ReadRule& rule, const Values& values) {
  std::string now;
  for (const ReadRule::Choice& choice : rule.choices)
    now += (now.empty() ? "" : " and ") + choice.key + " is " + values.at(choice.key);
  return now + "; it is read where " + rule.text();
}

// Whether one of the choices was made after the option was set.
bool chosen_later(const ReadRule& rule, const std::string& path, const Origins& origins) {
  return std::any_of(rule.choices.begin(), rule.choices.end(), [&](const auto& choice) {
    return origins.layer(choice.key) > origins.layer(path);
  });
}

}  // namespace

std::vector<std::string> unread(const Section& config) {
  const Values values = values_of(config);
  std::vector<std::string> paths;
  for_values(config, "", [&](const std::string& path, const Section::Field& field) {
    if (!broken_rules(field, values).empty()) paths.push_back(path);
  });
  return paths;
}

std::vector<IdleOption> settle(Section& config, const Section& defaults, Origins& origins) {
  const Values values = values_of(config), plain = values_of(defaults);
  std::vector<IdleOption> idle;
  std::vector<std::string> inherited;
  for_values(config, "", [&](const std::string& path, const Section::Field& field) {
    const std::vector<ReadRule> broken = broken_rules(field, values);
    if (broken.empty() || values.at(path) == plain.at(path)) return;
    if (std::any_of(broken.begin(), broken.end(),
                    [&](const ReadRule& rule) { return chosen_later(rule, path, origins); })) {
      inherited.push_back(path);
    } else {
      idle.push_back({.path = path,
                      .text = str(origins.of(path), ": ", path,
                                  " has no effect: ", reason(broken.back(), values)),
                      .newest = origins.layer(path) == origins.newest_layer()});
    }
  });
  for (const std::string& path : inherited) reset(config, defaults, origins, path);
  return idle;
}

void reset(Section& config, const Section& defaults, Origins& origins, const std::string& path) {
  Mistakes mistakes;
  override_value(config, path + "=" + values_of(defaults).at(path), "default", origins, mistakes);
  SACCADE_ASSERT(mistakes.empty(), "the default of ", path, " cannot be set");
  origins.forget(path);
}

}  // namespace config_detail

}  // namespace saccade
