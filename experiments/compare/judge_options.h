// What is declared before the scores are known: the primary metric and the margins, on the command
// line (--primary, --margin) or in a config (compare.primary, compare.margins).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "captioning/scoring/statistics/resampling.h"

namespace saccade {

struct Arm;
struct CompareConfig;
struct ScoringOptions;

struct JudgeOptions {
  Resampling resampling;
  // The metric that was declared before the runs were seen: the verdict's family is then of it
  // alone.
  std::string primary{};
  // Differences that would not matter, by metric. Where there is one, it is tested whether arms are
  // equal within it.
  std::map<std::string, double> margins{};
};

// Where metrics are named, as messages call it.
struct NamedBy {
  std::string primary = "--primary", margin = "--margin";
};

// The primary metric, which may be empty, and margins as "CIDEr=0.02". Throws UsageError for a
// metric that has no interval or does not judge, for a margin that is no number above 0 or is
// larger than any difference of the metric, and for two margins of one metric.
JudgeOptions judge_options(const std::string& primary, std::span<const std::string> margins,
                           const Resampling& resampling = {}, const NamedBy& by = {});

// The metrics by which captions can be judged that are scored so: those with an interval.
std::vector<std::string> judged_captions(const ScoringOptions& options);

// The metrics by which some of the arms can be judged; `boxes`: also where things are on photos.
std::vector<std::string> judged_metrics(std::span<const Arm> arms, bool boxes);

// Throws UsageError for a metric that is not there, with the list of those that are.
void require_metrics(const JudgeOptions& options, std::span<const std::string> there,
                     const NamedBy& by = {});

// What the command line and the config of a study ask for together. The command line wins: a
// message says what it replaces. Throws what judge_options() and require_metrics() throw.
JudgeOptions study_options(const JudgeOptions& given, const CompareConfig& config,
                           std::span<const Arm> arms, bool boxes);

}  // namespace saccade
