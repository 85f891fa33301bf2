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
  ResultCaption result;
  double score = 0;  // higher is better
};

// A CSV file with a header: columns image (a file name, or an id), caption and score, one judgement
// a line; a caption may be judged several times. Throws DataError naming the line.
std::vector<JudgedCaption> read_judgements(const std::filesystem::path& path);

struct MetricAgreement {
  std::string metric;
  std::optional<double> tau_b, tau_c;  // Kendall's; nothing where all are tied
};

// Between the judgements and the captions' own scores, metric by metric. Every judgement counts as
// one image, in CIDEr's document frequencies too. Throws DataError for unknown images.
std::vector<MetricAgreement> score_judgements(const ReferenceFile& references,
                                              const std::vector<JudgedCaption>& judgements,
                                              const ScoringOptions& options);

}  // namespace saccade
