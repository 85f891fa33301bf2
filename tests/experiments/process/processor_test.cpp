// What the manifest says of the processor.
#include "experiments/process/processor.h"

#include <sstream>

#include "tests/support/catch.h"

namespace saccade::test {
namespace {

Processor read(const std::string& text) {
  std::istringstream in(text);
  return read_processor(in);
}

TEST_CASE("processors of one name are told apart by family, model and instructions") {
  const Processor intel = read(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
      "model name\t: Intel(R) Xeon(R) Processor\nstepping\t: 8\npower management:\n"
      "flags\t\t: fpu sse2 avx2 avx512f amx_tile ht fma\n\nprocessor\t: 1\nmodel\t\t: 7\n"
      "flags\t\t: none\n");
  CHECK(intel.name == "Intel(R) Xeon(R) Processor");
  CHECK(intel.model == "GenuineIntel 6/143, stepping 8");
  CHECK(intel.features == std::vector<std::string>{"amx_tile", "avx2", "avx512f", "fma", "sse2"});
  const Processor arm = read(
      "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd crc32 sve i8mm\n"
      "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n"
      "CPU revision\t: 1\n");
  CHECK(arm.name == "0x41 8/0xd40, stepping 1");
  CHECK(arm.features == std::vector<std::string>{"asimd", "i8mm", "sve"});
  for (const char* text : {"", "\n\n", "no colon\n", ":\n", ": value\n", "flags:\n"}) {
    const Processor none = read(text);
    CHECK(none.name == "unknown");
    CHECK(none.features.empty());
  }
}

}  // namespace
}  // namespace saccade::test
