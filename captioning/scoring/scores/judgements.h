// How well metrics agree with people's judgements of captions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/statistics/resampling.h"

namespace saccade {

struct JudgedCaption {
  ImageId image;
  std::string caption;
  std::string place;  // in the file, for messages
  double score = 0;   // higher is better
};

struct Judgements {
  std::string form;  // "judgements: judged.csv, read as CSV (image, caption, score): 7 judgements"
  std::vector<JudgedCaption> captions;
};

// Reads a table with a header, with commas, semicolons, bars or tabs: the columns are image (a file
// name or an id) and caption, under any name that caption_columns.h knows, and score (or rating,
// judgement, human_score), and there is one judgement per line. A caption may be judged several
// times. Throws DataError that names the line.
Judgements read_judgements(const std::filesystem::path& path);

struct MetricAgreement {
  std::string metric;
  std::optional<double> tau_b, tau_c;  // Kendall's; nothing where all values are tied
  Interval tau_b_interval, tau_c_interval;
  double correlation = 0;  // Pearson's; NaN where there is none
  // Williams' test against the metric with the largest correlation, corrected after Holm; NaN for
  // that metric itself, and below kFewestImages images.
  double p_williams = 0;
};

struct Agreement {
  std::size_t judgements = 0, images = 0;
  Resampling resampling;
  std::string best;  // the metric with the largest correlation; empty where none has any
  std::vector<MetricAgreement> metrics;
  std::vector<ScoreMark> marks;  // on metrics that can say little of these captions
};

// The agreement between the judgements and the captions' scores, metric by metric. Every judgement
// counts as an image in CIDEr's document frequencies. Judgements of one image are alike, so
// intervals come from images that are drawn with all of their judgements, and Williams' test counts
// images. Throws DataError for unknown images.
Agreement score_judgements(const CaptionFile& references,
                           const std::vector<JudgedCaption>& judgements,
                           const ScoringOptions& options,
                           const Resampling& resampling = {.replicates = 1000});

}  // namespace saccade
