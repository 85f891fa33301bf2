// The section `search`: how captions are decoded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/enum_names.h"

namespace saccade {

class Section;

enum class SearchMode { kBeam, kGreedy, kSample };
constexpr auto enum_table(SearchMode) {
  using enum SearchMode;
  return enum_rows<SearchMode>({
      {kBeam, "beam", "beam search"},
      {kGreedy, "greedy", "the most probable word at every step"},
      {kSample, "sample", "words drawn from the model"},
  });
}

struct SearchConfig {
  SearchMode mode = SearchMode::kBeam;
  std::int64_t beam = 3;
  std::int64_t max_length = 20;
  double length_normalization = 0;
  double temperature = 1;
  std::int64_t top_k = 0;
  double top_p = 1;
  std::int64_t groups = 1;
  double diversity = 0;
  std::int64_t min_length = 0;
  std::int64_t no_repeat_ngram = 0;
  std::vector<std::string> forbidden;

  void fields(Section& v);
};

}  // namespace saccade
