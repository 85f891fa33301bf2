// What people reach: every reference is scored against the other references of its image. This is
// the ceiling beside a model's scores, although against one reference fewer.
#pragma once

#include <string>
#include <vector>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/scores/caption_scores.h"

namespace saccade {

struct HumanScores {
  std::size_t images = 0;      // those with at least two references
  std::size_t left_out = 0;    // those with fewer
  std::size_t annotators = 0;  // the number of rounds: the references of the image with the fewest
  NamedScores mean;            // of each metric over the rounds
  std::vector<ScoreMark> marks;  // on numbers that can say little, in the first round
  NamedScores deviation;         // standard deviation over the rounds (n - 1)
};

// In round k, reference k of every image is scored against the image's others. Throws DataError
// when no image has two references.
HumanScores score_humans(const CaptionFile& references, const ScoringOptions& options);

}  // namespace saccade
