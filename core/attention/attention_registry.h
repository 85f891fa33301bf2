// Scores and mechanisms that a program adds to the built-in ones, under names for its configs.
#pragma once

#include <map>
#include <string>

#include "core/attention/added_choices.h"
#include "core/attention/mechanisms/mechanism.h"
#include "core/attention/scores/score.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// A program fills a registry and passes it to what reads its configs and checkpoints
// (CaptionerOptions, TrainingOptions). There is no registry of the process: a name is valid only
// where its registry was passed.
class AttentionRegistry : public AddedChoices {
 public:
  // Adds a choice of `attention.score`. It goes with every scope, normalizer, selection, gate and
  // number of heads, and may read attention.hidden. Throws UsageError where the name is
  // taken or is not made of lower-case letters, digits and '_'.
  void add_score(const std::string& name, ScoreFactory make);
  // Adds a choice of `attention.mechanism`, which stands beside the axes; only a gate goes with it.
  // Throws as add_score() does.
  void add_mechanism(const std::string& name, MechanismFactory make);

  // The score that was added under a name. Throws InternalError where there is none.
  const ScoreFactory& score(const std::string& name) const;
  // The mechanism that was added under a name. Throws InternalError where there is none.
  const MechanismFactory& mechanism(const std::string& name) const;

 private:
  std::map<std::string, ScoreFactory> score_factories_;
  std::map<std::string, MechanismFactory> mechanism_factories_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
