#include "tests/campaign/readers.h"

namespace saccade::campaign {

std::vector<Reader> all_readers() {
  std::vector<Reader> all;
  for (const auto& part : {file_readers(), scoring_readers(), caption_readers(), model_readers(),
                           network_readers(), run_readers()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace saccade::campaign
