// The readers under libFuzzer, which is guided by the code that an input reaches. The variable
// CAMPAIGN_READER names the reader (campaign --list); `run.sh --fuzz` builds and runs it.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>

#include "core/base/error.h"
#include "tests/campaign/readers.h"

namespace {

const saccade::campaign::Reader& chosen() {
  static const std::vector<saccade::campaign::Reader> all = saccade::campaign::all_readers();
  static const char* const name = std::getenv("CAMPAIGN_READER");
  static const auto found = std::find_if(all.begin(), all.end(), [](const auto& reader) {
    return name != nullptr && reader.name == name;
  });
  if (found == all.end()) {
    std::cerr << "CAMPAIGN_READER names no reader of campaign --list\n";
    std::exit(2);
  }
  return *found;
}

[[noreturn]] void fail(const char* what) {
  std::cerr << "FAILED: " << what << "\n";
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen().read({data, size});
  } catch (const saccade::Error& error) {
    if (error.code() == saccade::ExitCode::kInternal || *error.what() == '\0') fail(error.what());
  } catch (const std::exception& error) {  // std::bad_alloc, too
    fail(error.what());
  }
  return 0;
}
