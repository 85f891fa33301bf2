// Instructions that no processor has together.
#include "core/base/processor_check.h"

namespace saccade {
const char* const kNeededInstructions[] = {"sse4.2", "xop", "avx512bf16", nullptr};
}

int main() { return 0; }
