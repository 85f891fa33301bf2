// The work of a comparison: tunes every arm where the config asks for it, trains it with every
// seed, and scores it. Finished runs are kept.
#pragma once

#include <vector>

#include "experiments/compare/run_arm.h"

namespace saccade {

struct StudyRequest {
  std::string name;
  CompareConfig compare;
  std::vector<Arm> arms;
  // Runs trained at the same time, each in a process of its own, or by an equal part of the ranks.
  std::size_t jobs = 1;
  std::string paraphrases{};  // --paraphrases, for these processes
};

// To be called before anything is created or trained. Throws BusyError as
// ArmRunner::refuse_other_config() does, for tuned arms also for their trials, and UsageError where
// an arm cannot be tuned.
void refuse_other_configs(const StudyRequest& request, const ArmRunner& runner);

// Runs the study and returns the arms with their scores. After a signal it returns early with the
// results so far. Over ranks (parallel::OverRanks), groups of neighbours train runs, and the first
// rank scores them; the others return no scores. What strikes one rank of a group alone, such as a
// full disk, is thrown. Throws BusyError where a tuned arm was
// trained with other values, and what loading the data throws where all arms share it.
Comparison run_study(const StudyRequest& request, ArmRunner& runner, const StopSignal& signal);

}  // namespace saccade
