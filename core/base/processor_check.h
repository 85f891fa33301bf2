// Whether the processor has the instructions for which saccade was compiled. The check itself is
// compiled for any processor and calls nothing of the standard library, which may be compiled for
// this one.
#pragma once

namespace saccade {

// The names of the instructions that the compiler could use, "avx2" and so on; null behind the last
// (processor_needs.cpp).
extern const char* const kNeededInstructions[];

// Those that this processor lacks, "avx2, fma"; "" where it has all. Callers must not run at once.
const char* missing_instructions();

}  // namespace saccade
