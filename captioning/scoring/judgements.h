// How well metrics agree with people's judgements of captions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "captioning/scoring/caption_files.h"
#include "captioning/scoring/caption_scores.h"

namespace saccade {

struct JudgedCaption {
  ImageId image;
  std::string caption;
  std::string place;  // in the file, for messages
  double score = 0;   // higher is better
};

// Reads a CSV file with a header: the columns are image (a file name or an id), caption and score
// (the first two under any name that caption_columns.h knows), and there is one judgement per line.
// A caption may be judged several times. Throws DataError that names the line.
std::vector<JudgedCaption> read_judgements(const std::filesystem::path& path);

struct MetricAgreement {
  std::string metric;
  std::optional<double> tau_b, tau_c;  // Kendall's; nothing where all values are tied
};

// The agreement between the judgements and the captions' scores, metric by metric. Every judgement
// counts as an image, also in CIDEr's document frequencies. Throws DataError for unknown images.
std::vector<MetricAgreement> score_judgements(const CaptionFile& references,
                                              const std::vector<JudgedCaption>& judgements,
                                              const ScoringOptions& options);

}  // namespace saccade
