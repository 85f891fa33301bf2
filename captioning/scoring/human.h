// What people reach: every reference scored against the other references of its image. The ceiling
// beside a model's scores, though against one reference fewer.
#pragma once

#include <string>
#include <vector>

#include "captioning/scoring/caption_files.h"
#include "captioning/scoring/caption_scores.h"

namespace saccade {

struct HumanScores {
  std::size_t images = 0;      // with at least two references
  std::size_t left_out = 0;    // with a single one
  std::size_t annotators = 0;  // rounds: as many as the image with the fewest references has
  NamedScores mean;            // of each metric over the rounds
  NamedScores deviation;       // over the rounds (n - 1)
};

// Round k scores reference k of every image against its others. Throws DataError when no image has
// two references.
HumanScores score_humans(const ReferenceFile& references, const ScoringOptions& options);

}  // namespace saccade
