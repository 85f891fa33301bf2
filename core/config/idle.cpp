#include "core/config/idle.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/config/values.h"

namespace saccade {

namespace config_detail {

namespace {

std::vector<ReadRule> broken_rules(const Section::Field& field, const ConfigValues& values) {
  std::vector<ReadRule> broken;
  std::copy_if(field.rules.begin(), field.rules.end(), std::back_inserter(broken),
               [&](const ReadRule& rule) { return !rule.holds(values); });
  return broken;
}

std::string reason_it_is_unread(const ReadRule& rule, const ConfigValues& values) {
  std::string now = join(rule.choices, " and ", [&](const ReadRule::Choice& choice) {
    return choice.key + " is " + values.at(choice.key);
  });
  return now + "; it is read where " + rule.text();
}

// Whether one of the choices was made after the option was set.
bool chosen_later(const ReadRule& rule, const std::string& path, const Origins& origins) {
  return std::any_of(rule.choices.begin(), rule.choices.end(), [&](const auto& choice) {
    return origins.layer(choice.key) > origins.layer(path);
  });
}

}  // namespace

std::vector<std::string> unread(const Section& config, const std::string& path) {
  const ConfigValues values = values_of(config, path);
  std::vector<std::string> paths;
  for_values(config, path, [&](const std::string& own, const Section::Field& field) {
    if (!broken_rules(field, values).empty()) paths.push_back(own);
  });
  return paths;
}

std::vector<IdleOption> settle(Section& config, const Section& defaults, Origins& origins) {
  const ConfigValues values = values_of(config), plain = values_of(defaults);
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
                                  " has no effect: ", reason_it_is_unread(broken.back(), values)),
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
