// The readers that need neither models nor pictures. A fuzzer of these is built soon.
#include "tests/campaign/readers.h"

namespace saccade::campaign {

std::vector<Reader> all_readers() {
  std::vector<Reader> all = file_readers();
  for (Reader& one : scoring_readers()) all.push_back(std::move(one));
  return all;
}

}  // namespace saccade::campaign
