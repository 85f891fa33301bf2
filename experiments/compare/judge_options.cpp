#include "experiments/compare/judge_options.h"

#include <algorithm>

#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/metric_registry.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/study/evaluation/grounding_scores.h"
#include "captioning/study/evaluation/sequence_scores.h"
#include "core/base/error.h"
#include "core/base/read_number.h"
#include "experiments/compare/arms.h"
#include "experiments/process/log.h"

namespace saccade {

namespace {

bool judges(const MetricInfo& info) { return info.interval && info.better != Better::kNeither; }

void check_judges(const std::string& option, const std::string& name) {
  const MetricInfo* info = find_metric(name);
  if (info && judges(*info)) return;
  throw UsageError(str(option, " ", name, ": ",
                       info ? "this metric has no interval, or does not judge"
                            : "there is no such metric" + metric_meant(name, judges),
                       "; saccade list metrics shows those that are judged, such as CIDEr"));
}

double margin_of(const std::string& option, const std::string& name, const std::string& value) {
  const ReadNumber read = read_number(value);
  std::string wrong = read.wrong;
  if (wrong.empty() && !(read.value > 0)) wrong = "is not above 0";
  if (!wrong.empty())
    throw UsageError(str(option, " ", name, "=", value,
                         ": write it as METRIC=VALUE with a value above 0, such as CIDEr=0.02; '",
                         value, "' ", wrong));
  const MetricRange range = metric_range(name);
  if (!(read.value < range.high - range.low))
    throw UsageError(str(option, " ", name, "=", value, ": the metric lies between ", range.low,
                         " and ", range.high,
                         ", so no difference is outside of this margin; give a smaller one"));
  return read.value;
}

void add_all(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::vector<std::string> names_of(std::span<const ImageStatistics> metrics) {
  std::vector<std::string> out;
  for (const ImageStatistics& metric : metrics) out.push_back(metric.metric);
  return out;
}

// The measures of maps: of the nouns that a model says, and of those of the references.
std::vector<std::string> map_metrics() {
  std::vector<std::string> out(kMapMeasures.begin(), kMapMeasures.end());
  out.emplace_back(kCorrectnessOverUniform);
  for (std::size_t k = 0; k <= kMapMeasures.size(); ++k) out.push_back(references_metric(out[k]));
  return out;
}

}  // namespace

JudgeOptions judge_options(const std::string& primary, std::span<const std::string> margins,
                           const Resampling& resampling, const NamedBy& by) {
  JudgeOptions out{.resampling = resampling, .primary = primary};
  if (!primary.empty()) check_judges(by.primary, primary);
  for (const std::string& text : margins) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(str(by.margin, " ", text,
                           ": write it as METRIC=VALUE with a value above 0, such as CIDEr=0.02"));
    const std::string name = text.substr(0, equals);
    check_judges(by.margin, name);
    if (!out.margins.emplace(name, margin_of(by.margin, name, text.substr(equals + 1))).second)
      throw UsageError(
          str(by.margin, " ", text, ": ", name, " has a margin already; give it one alone"));
  }
  return out;
}

std::vector<std::string> judged_captions(const ScoringOptions& options) {
  return names_of(score_captions(std::vector<std::string>{"a"},
                                 std::vector<std::vector<std::string>>{{"a"}}, options)
                      .metrics);
}

std::vector<std::string> judged_metrics(std::span<const Arm> arms, bool boxes) {
  const Meteor meteor;
  std::vector<std::string> out = judged_captions({.meteor = &meteor});
  for (const Arm& arm : arms) {
    const DataConfig& data = arm.config.data;
    const bool scenes = data.type == DataKind::kScenes, maps = arm.config.has_attention();
    if (data.type == DataKind::kSequences) add_all(out, names_of(SequenceScores(maps).metrics()));
    if (scenes) add_all(out, {"true_caption_rate"});
    const bool photos = !scenes && data.type != DataKind::kSequences;
    if (maps && (scenes || (photos && (boxes || !data.boxes.empty())))) add_all(out, map_metrics());
  }
  std::erase_if(out, [](const std::string& name) {
    const MetricInfo* info = find_metric(name);
    return !info || !judges(*info);
  });
  return in_table_order(std::move(out));
}

void require_metrics(const JudgeOptions& options, std::span<const std::string> there,
                     const NamedBy& by) {
  const auto require = [&](const std::string& option, const std::string& name) {
    if (std::find(there.begin(), there.end(), name) != there.end()) return;
    std::string names;
    bool variants = false;
    for (const std::string& one : there) {
      const std::string& base = metric(one).base;
      const bool variant =
          base != one && std::find(there.begin(), there.end(), base) != there.end();
      variants = variants || variant;
      if (!variant) names += (names.empty() ? "" : ", ") + one;
    }
    throw UsageError(str(option, " ", name, ": nothing is judged by it here; choose one of ", names,
                         variants ? ", or a variant (saccade list metrics)" : ""));
  };
  if (!options.primary.empty()) require(by.primary, options.primary);
  for (const auto& [name, margin] : options.margins) require(by.margin, name);
}

JudgeOptions study_options(const JudgeOptions& given, const CompareConfig& config,
                           std::span<const Arm> arms, bool boxes) {
  const NamedBy by_config{.primary = "compare.primary", .margin = "compare.margins"};
  JudgeOptions declared = judge_options(config.primary, config.margins, {}, by_config);
  if (!given.primary.empty()) {
    if (!declared.primary.empty() && declared.primary != given.primary)
      log::warn(str("--primary ", given.primary, " replaces compare.primary of the config, ",
                    declared.primary));
    declared.primary.clear();
  }
  for (const auto& [name, margin] : given.margins) {
    const auto own = declared.margins.find(name);
    if (own == declared.margins.end()) continue;
    if (own->second != margin)
      log::warn(str("--margin ", name, "=", margin, " replaces the margin of compare.margins, ",
                    own->second));
    declared.margins.erase(own);
  }
  JudgeOptions out = given;
  if (given.primary.empty() && given.margins.empty() && declared.primary.empty() &&
      declared.margins.empty())
    return out;
  const std::vector<std::string> there = judged_metrics(arms, boxes);
  require_metrics(given, there);
  require_metrics(declared, there, by_config);
  if (out.primary.empty()) out.primary = declared.primary;
  out.margins.merge(declared.margins);
  return out;
}

}  // namespace saccade
