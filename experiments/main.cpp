// The program `saccade`.
#include <cstdlib>
#include <string>

#include "experiments/cli.h"
#include "experiments/options/meteor_tables.h"

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int main(int argc, char** argv) {
  saccade::set_meteor_places({.table = environment("SACCADE_PARAPHRASES"),
                              .packages = environment("PYTHONPATH"),
                              .roots = {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX")},
                              .home = environment("HOME"),
                              .caches = environment("XDG_CACHE_HOME")});
  return saccade::run_program(
      argc, argv,
      {.no_color = !environment("NO_COLOR").empty(), .models = environment("SACCADE_MODELS")});
}
