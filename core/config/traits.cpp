#include "core/config/traits.h"

#include <algorithm>

#include "core/config/values.h"

namespace saccade::config_detail {

namespace {

bool all_hold(const std::vector<ReadRule>& rules, const ConfigValues& values) {
  return std::all_of(rules.begin(), rules.end(),
                     [&](const ReadRule& rule) { return rule.holds(values); });
}

// The declaration by which a field has a trait, or nullptr.
const TraitRule* found(const Section::Field& field, Trait trait, const ConfigValues& values) {
  for (const TraitRule& one : field.traits)
    if (one.trait == trait && all_hold(one.rules, values)) return &one;
  return nullptr;
}

// The choice that a rule holds by, with the value of its key.
std::string deciding_choice(const ReadRule& rule, const ConfigValues& values) {
  for (const ReadRule::Choice& choice : rule.choices)
    if (choice.holds(values)) return choice.key + " " + values.at(choice.key);
  return "";
}

}  // namespace

std::vector<std::string> paths_with(const Section& config, Trait trait) {
  const ConfigValues values = values_of(config);
  std::vector<std::string> paths;
  for_values(config, "", [&](const std::string& path, const Section::Field& field) {
    if (found(field, trait, values)) paths.push_back(path);
  });
  return paths;
}

std::vector<NamedFile> named_files(const Section& config, const std::string& path) {
  const ConfigValues values = values_of(config, path);
  std::vector<NamedFile> files;
  for_values(config, path, [&](const std::string& key, const Section::Field& field) {
    if (!found(field, Trait::kFile, values) || !all_hold(field.rules, values)) return;
    NamedFile file{.key = key, .path = *field.slot->string(), .needed_by = "", .doc = field.doc};
    if (const TraitRule* needed = found(field, Trait::kNeeded, values)) {
      const std::vector<ReadRule>& rules = needed->rules.empty() ? field.rules : needed->rules;
      file.needed_by = rules.empty() ? "every run" : deciding_choice(rules.front(), values);
    }
    files.push_back(std::move(file));
  });
  return files;
}

}  // namespace saccade::config_detail
