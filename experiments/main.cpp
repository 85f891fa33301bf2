// The program `saccade`.
#include <cstdlib>

#include "experiments/cli.h"

int main(int argc, char** argv) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* models = std::getenv("SACCADE_MODELS");
  return saccade::run_program(argc, argv,
                              {.no_color = no_color != nullptr && no_color[0] != '\0',
                               .models = models != nullptr ? models : ""});
}
