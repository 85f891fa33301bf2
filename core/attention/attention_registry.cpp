#include "core/attention/attention_registry.h"

#include "core/attention/mechanisms/mechanism_kind.h"
#include "core/attention/scores/score_kind.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Adds a choice to an axis, whose built-in ones are E.
template <NamedEnum E, class Factory>
void add(const char* key, const std::string& name, Factory make,
         std::map<std::string, Factory>& factories, std::vector<std::string>& names) {
  if (name.empty() ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
    throw UsageError(str(key, ": '", name,
                         "' cannot be a name in a config; use lower-case letters, digits and '_'"));
  if (enum_value<E>(name) || factories.contains(name))
    throw UsageError(str(key, ": there is a choice '", name, "' already; take another name"));
  if (!make) throw UsageError(str(key, ": nothing makes '", name, "'; give a function"));
  factories.emplace(name, std::move(make));
  names.push_back(name);
}

template <class Factory>
const Factory& find(const char* key, const std::string& name,
                    const std::map<std::string, Factory>& factories) {
  const auto found = factories.find(name);
  SACCADE_ASSERT(found != factories.end(), key, " has no added choice '", name, "'");
  return found->second;
}

constexpr const char* kScore = "attention.score";
constexpr const char* kMechanism = "attention.mechanism";

}  // namespace

void AttentionRegistry::add_score(const std::string& name, ScoreFactory make) {
  add<ScoreKind>(kScore, name, std::move(make), score_factories_, scores_);
}

void AttentionRegistry::add_mechanism(const std::string& name, MechanismFactory make) {
  add<MechanismKind>(kMechanism, name, std::move(make), mechanism_factories_, mechanisms_);
}

const ScoreFactory& AttentionRegistry::score(const std::string& name) const {
  return find(kScore, name, score_factories_);
}

const MechanismFactory& AttentionRegistry::mechanism(const std::string& name) const {
  return find(kMechanism, name, mechanism_factories_);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
