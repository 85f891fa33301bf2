// Programs end with a reason on processors for which they were not compiled.
#include "core/base/processor_check.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {

TEST_CASE("this processor has what this program was compiled for") {
  CHECK(std::string(missing_instructions()).empty());
#ifdef __AVX2__
  std::string needed;
  for (const char* const* name = kNeededInstructions; *name != nullptr; ++name)
    needed += std::string(*name) + " ";
  CHECK_THAT(needed, Catch::Contains("avx2 ") && Catch::Contains("fma "));
#endif
}

#if defined(__x86_64__)
TEST_CASE("a program for another processor says so and ends") {
  const TempFolder folder("processor");
  const std::string said = (folder / "err").string();
  const int status = std::system((SACCADE_NEEDS_ALL " 2>" + said).c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
  std::ifstream in(said);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  CHECK_THAT(text, Catch::StartsWith("error: this saccade was built for processors that have ") &&
                       Catch::Contains("which this one lacks; build it on this machine") &&
                       !Catch::Contains("sse4.2"));
}
#endif

}  // namespace saccade::test
