#include "captioning/study/evaluation/dead_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "captioning/scoring/statistics/weighted_sums.h"
#include "captioning/study/evaluation/dead_signs.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

constexpr double kLeastLoss = 0.02;
constexpr Index kLossReplicates = 2000;  // of the bootstrap
constexpr double kMostShare = 0.9;       // of static maps
// A reader who may guess tells two kinds of draws apart in (1 + d) / 2 of the cases if they differ
// by d: in three of four for this one.
constexpr double kTold = 0.5;
constexpr double kLossLevel = 0.95;  // of the interval of a loss
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kOneSided = 1.645;  // standard errors, of a one-sided 95 % interval

std::optional<double> find(const NamedScores& scores, std::string_view name) {
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const auto& score) { return score.first == name; });
  if (found == scores.end()) return {};
  return found->second;
}

std::string percent(double share) { return str(std::lround(100 * share), " %"); }

// "21.3": percent with one decimal.
std::string tenths(double share) {
  const long rounded = std::lround(1000 * std::abs(share));
  return str(share < 0 && rounded > 0 ? "-" : "", rounded / 10, ".", rounded % 10);
}

// "CIDEr falls by 21.3 % [16.0, 26.1] with weights uniform and by ... with weights shuffled".
std::string losses_text(const AttentionReport& report) {
  std::string out;
  for (const AblatedScores& one : report.ablations) {
    const Interval& interval = one.loss.interval;
    out +=
        str(out.empty() ? one.loss.metric + " falls by " : " and by ", tenths(one.loss.loss), " %",
            std::isnan(interval.low)
                ? ""
                : str(" [", tenths(interval.low), ", ", tenths(interval.high), "]"),
            " with weights ", enum_name(one.ablation));
  }
  return out;
}

// The statistics that a map is judged by.
const ImageStatistics* statistics_of(std::span<const ImageStatistics> metrics,
                                     std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const auto& one) { return one.metric == name; });
  return found == metrics.end() ? nullptr : &*found;
}

// Whether a difference is below kTold by more than its noise; one that is not known is not.
bool collapsed(double difference, double error, const AttentionHealth& health) {
  return health.captions >= kFewestJudgedImages && difference + kOneSided * error < kTold;
}

DeadSign collapse(DeadKind kind, double difference, const char* maps) {
  return {kind, str("the maps have collapsed to ", maps,
                    ": one region drawn for each word of a "
                    "caption tells them apart in at most ",
                    percent((1 + difference) / 2), " of the cases, and guessing in 50 %")};
}

std::optional<DeadSign> uniform_sign(const AttentionHealth& health) {
  if (!collapsed(health.from_uniform, health.from_uniform_error, health)) return {};
  return collapse(DeadKind::kUniform, health.from_uniform, "uniform ones");
}

std::optional<DeadSign> one_cell_sign(const AttentionHealth& health) {
  if (!collapsed(health.from_one_cell, health.from_one_cell_error, health)) return {};
  return collapse(DeadKind::kOneCell, health.from_one_cell, "one cell each");
}

}  // namespace

NamedScores judging_scores(const NamedScores& all) {
  NamedScores out;
  for (const char* name : {"CIDEr", "Bleu_4", "true_caption_rate"})
    if (const std::optional<double> score = find(all, name)) out.emplace_back(name, *score);
  return out;
}

std::optional<double> shuffled_drop(const AttentionReport& report) {
  const std::optional<double> own = find(report.own, "CIDEr");
  for (const AblatedScores& one : report.ablations)
    if (const auto other = find(one.scores, "CIDEr");
        own && other && one.ablation == Ablation::kShuffled)
      return *own - *other;
  return {};
}

MapLoss map_loss(std::span<const ImageStatistics> own, std::span<const ImageStatistics> other) {
  const ImageStatistics* a = statistics_of(own, "true_caption_rate");
  if (a == nullptr || !(a->whole() > 0)) a = statistics_of(own, "CIDEr");
  const ImageStatistics* b = a == nullptr ? nullptr : statistics_of(other, a->metric);
  if (b == nullptr)
    throw DataError("captions with and without their maps were scored by different metrics");
  const RowTable table = paired_rows({a, 1}, {b, 1});
  const auto loss = [](double with, double without) {
    return with > 0 ? score_difference(with, without) / with : kUnknown;
  };
  const auto scores = resample_scores(table, {.replicates = kLossReplicates});
  std::vector<double> losses;
  for (std::size_t r = 0; r < scores[0].size(); ++r)
    losses.push_back(loss(scores[0][r], scores[1][r]));
  return {.metric = a->metric,
          .loss = loss(a->whole(), b->whole()),
          .interval = percentile_interval(losses, kLossLevel)};
}

std::string_view need_name(MapNeed need) {
  switch (need) {
    case MapNeed::kNeeded:
      return "needed";
    case MapNeed::kNeedless:
      return "needless";
    case MapNeed::kUnclear:
      return "cannot tell";
  }
  throw InternalError("unknown need of a map");
}

std::optional<MapNeed> map_need(const AttentionReport& report) {
  if (report.images < kFewestJudgedImages || report.ablations.empty()) return {};
  MapNeed need = MapNeed::kNeeded;
  for (const AblatedScores& one : report.ablations) {
    if (std::isnan(one.loss.loss)) return {};
    if (one.loss.interval.high < kLeastLoss) return MapNeed::kNeedless;
    if (!(one.loss.interval.low > kLeastLoss)) need = MapNeed::kUnclear;
  }
  return need;
}

std::optional<std::string> map_need_line(const AttentionReport& report) {
  const std::optional<MapNeed> need = map_need(report);
  if (!need) return {};
  const char* verdict = *need == MapNeed::kNeeded ? "captions need the map: "
                        : *need == MapNeed::kNeedless
                            ? "captions do not need the map: "
                            : "whether captions need the map these images cannot tell: ";
  return verdict + losses_text(report);
}

std::vector<DeadSign> dead_signs(const AttentionReport& report) {
  std::vector<DeadSign> signs;
  const AttentionHealth& health = report.health;
  if (health.captions >= kFewestJudgedImages &&
      health.static_share - kOneSided * health.static_error > kMostShare)
    signs.push_back({DeadKind::kStatic, percent(health.static_share) +
                                            " of the maps repeat the map of the word before"});
  if (const auto uniform = uniform_sign(health)) signs.push_back(*uniform);
  if (map_need(report) == MapNeed::kNeedless) {
    // Maps on one cell each may be what captions need: then they point.
    if (const auto cell = one_cell_sign(health)) signs.push_back(*cell);
    signs.push_back({DeadKind::kNeedless, *map_need_line(report)});
  }
  return signs;
}

std::vector<DeadSign> warning_signs(const AttentionReport& report) {
  std::vector<DeadSign> signs = dead_signs(report);
  const auto cell = one_cell_sign(report.health);
  const bool known = std::any_of(signs.begin(), signs.end(), [](const DeadSign& sign) {
    return sign.kind == DeadKind::kOneCell;
  });
  if (cell && !known) signs.push_back(*cell);
  return signs;
}

std::optional<std::string> collapsed_attention(const AttentionReport& report) {
  for (const auto& sign : {uniform_sign(report.health), one_cell_sign(report.health)})
    if (sign) return sign->text;
  return {};
}

std::optional<std::string> dead_attention(const AttentionReport& report) {
  std::string all = join(dead_signs(report), "; ", &DeadSign::text);
  if (all.empty()) return {};
  return "attention looks dead: " + all;
}

}  // namespace saccade
