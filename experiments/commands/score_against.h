// `saccade score --against`: systems that are known by their captions alone, compared as `saccade
// compare` compares arms.
#pragma once

#include <string>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "experiments/commands/score.h"

namespace saccade {

// Prints the comparison of the files of captions in args.files, which are two systems or more,
// against the first. Throws UsageError for fewer systems, a file that is there twice in one of
// them, and runs that --paired cannot pair, and DataError where the files caption different images.
int score_against(const ScoreArgs& args, const CaptionFile& references,
                  const ScoringOptions& options, const std::string& meteor_tables);

}  // namespace saccade
