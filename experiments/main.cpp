// The program `saccade`.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "experiments/cli.h"
#include "experiments/options/meteor_tables.h"

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The number of processes that a launcher started together. A batch script has the variables of its
// job, but only what srun starts has those of a step.
int launched_processes() {
  int most = 0;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    most = std::max(most, std::atoi(environment(name).c_str()));
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  saccade::set_meteor_places({.table = environment("SACCADE_PARAPHRASES"),
                              .packages = environment("PYTHONPATH"),
                              .roots = {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX")},
                              .home = environment("HOME"),
                              .caches = environment("XDG_CACHE_HOME")});
  return saccade::run_program(argc, argv,
                              {.no_color = !environment("NO_COLOR").empty(),
                               .models = environment("SACCADE_MODELS"),
                               .processes = launched_processes()});
}
