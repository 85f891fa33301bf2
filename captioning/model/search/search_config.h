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
      {kSample, "sample", "words sampled from the model"},
  });
}

// What becomes of the place of a hypothesis that ends, and when a beam is done.
enum class BeamEnd { kShrink, kRefill, kRefillFull, kRefillNever };
constexpr auto enum_table(BeamEnd) {
  using enum BeamEnd;
  return enum_rows<BeamEnd>({
      {kShrink, "shrink",
       "a hypothesis that ends gives up its place (as in the code of Xu et al. 2015), until none "
       "that goes on can beat the best that ended"},
      {kRefill, "refill",
       "the next best hypothesis takes the place, as in transformers; captions that max_length "
       "cuts compete, too; done when the best that goes on, at its present length, does not beat "
       "the last of `beam` that ended (early_stopping: false)"},
      {kRefillFull, "refill_full",
       "the same, done as soon as `beam` hypotheses ended (early_stopping: true)"},
      {kRefillNever, "refill_never",
       "the same, done when no hypothesis that goes on can beat the last of `beam` that ended, at "
       "any length (early_stopping: never)"},
  });
}

struct SearchConfig {
  SearchMode mode = SearchMode::kBeam;
  std::int64_t beam = 3;
  std::int64_t max_length = 20;
  double length_normalization = 0;
  BeamEnd beam_end = BeamEnd::kShrink;
  std::string prompt;
  double temperature = 1;
  std::int64_t top_k = 0;
  double top_p = 1;
  std::int64_t groups = 1;
  double diversity = 0;
  std::int64_t min_length = 0;
  std::int64_t no_repeat_ngram = 0;
  std::vector<std::string> forbidden;
  std::vector<std::string> must;
  std::string word_vectors;
  double name_objects = 0;
  // Whether this search can name objects: it takes a beam without groups.
  bool can_name() const { return mode == SearchMode::kBeam && groups == 1; }
  // Does without naming objects where the search cannot name them.
  void fit_naming() {
    if (!can_name()) name_objects = 0;
  }

  void fields(Section& v);
};

}  // namespace saccade
