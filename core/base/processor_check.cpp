#include "core/base/processor_check.h"

namespace saccade {

namespace {

bool same(const char* a, const char* b) {
  for (; *a != '\0' && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

#if defined(__x86_64__)
bool has(const char* name) {
#define SACCADE_HAS(instruction) \
  if (same(name, instruction)) return __builtin_cpu_supports(instruction) != 0;
  SACCADE_HAS("ssse3")
  SACCADE_HAS("sse4.1")
  SACCADE_HAS("sse4.2")
  SACCADE_HAS("popcnt")
  SACCADE_HAS("avx")
  SACCADE_HAS("avx2")
  SACCADE_HAS("fma")
  SACCADE_HAS("bmi")
  SACCADE_HAS("bmi2")
  SACCADE_HAS("avx512f")
  SACCADE_HAS("avx512bw")
  SACCADE_HAS("avx512cd")
  SACCADE_HAS("avx512dq")
  SACCADE_HAS("avx512vl")
  SACCADE_HAS("avx512vnni")
  SACCADE_HAS("avx512bf16")
  SACCADE_HAS("xop")
  SACCADE_HAS("fma4")
#undef SACCADE_HAS
  return false;
}
#else
bool has(const char*) { return true; }
#endif

}  // namespace

const char* missing_instructions() {
  static char names[512];
  char *at = names, *const end = names + sizeof names - 1;
  const auto add = [&](const char* text) {
    for (; *text != '\0' && at < end; ++text) *at++ = *text;
  };
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  for (const char* const* name = kNeededInstructions; *name != nullptr; ++name) {
    if (has(*name)) continue;
    if (at != names) add(", ");
    add(*name);
  }
  *at = '\0';
  return names;
}

}  // namespace saccade
