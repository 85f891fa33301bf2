// The work of a comparison: every arm tuned where that is asked for, trained with every seed, and
// scored; what is finished already is kept.
#pragma once

#include <vector>

#include "experiments/compare/run_arm.h"

namespace saccade {

struct StudyRequest {
  std::string name;
  CompareConfig compare;
  std::vector<Arm> arms;
  std::size_t jobs = 1;  // runs that train at once, each a process of its own
};

// Before anything is made or trained. Throws BusyError as ArmRunner::refuse_other_config() does, of
// tuned arms for their trials; UsageError where an arm cannot be tuned.
void refuse_other_configs(const StudyRequest& request, const ArmRunner& runner);

// The arms with their scores. After a signal it returns early with what there is. Throws BusyError
// where a tuned arm was trained with other values, and what loading the data throws where all arms
// share it.
Comparison run_study(const StudyRequest& request, ArmRunner& runner, const StopSignal& signal);

}  // namespace saccade
