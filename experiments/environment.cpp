#include "experiments/environment.h"

#include <algorithm>
#include <cstdlib>

#include "experiments/options/meteor_tables.h"

namespace saccade {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The number of processes that a launcher started together. A batch script has the variables of its
// job, but only what srun starts has those of a step.
int launched_processes() {
  int most = 0;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    most = std::max(most, std::atoi(variable(name).c_str()));
  return most;
}

}  // namespace

Environment read_environment() {
  set_meteor_places({.table = variable("SACCADE_PARAPHRASES"),
                     .packages = variable("PYTHONPATH"),
                     .roots = {variable("VIRTUAL_ENV"), variable("CONDA_PREFIX")},
                     .home = variable("HOME"),
                     .caches = variable("XDG_CACHE_HOME")});
  return {.no_color = !variable("NO_COLOR").empty(),
          .models = variable("SACCADE_MODELS"),
          .processes = launched_processes()};
}

}  // namespace saccade
