// Ends a program on a processor for which it was not compiled, before anything else of it runs.
// Compiled for any processor.
#include <unistd.h>

#include "core/base/processor_check.h"

namespace saccade {

namespace {

void say(const char* text) {
  unsigned long length = 0;
  while (text[length] != '\0') ++length;
  if (write(STDERR_FILENO, text, length) < 0) return;
}

[[gnu::constructor(101)]] void refuse_processor() {
  const char* const missing = missing_instructions();
  if (*missing == '\0') return;
  say("error: this saccade was built for processors that have ");
  say(missing);
  say(", which this one lacks; build it on this machine (cmake --preset release)\n");
  _exit(5);
}

}  // namespace

}  // namespace saccade
