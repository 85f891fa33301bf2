#include "captioning/evaluation/dead_attention.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "captioning/evaluation/dead_signs.h"
#include "captioning/scoring/text_table.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr double kLeastLoss = 0.02;  // as a share of the model's own score
constexpr double kMostShare = 0.9;   // of static maps
// A reader who may guess tells two kinds of draws apart in (1 + d) / 2 of the cases if they differ
// by d: in three of four for this one.
constexpr double kTold = 0.5;
constexpr double kOneSided = 1.645;  // standard errors, of a one-sided 95 % interval

std::optional<double> find(const NamedScores& scores, std::string_view name) {
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const auto& score) { return score.first == name; });
  if (found == scores.end()) return {};
  return found->second;
}

std::string percent(double share) { return str(std::lround(100 * share), " %"); }

// "CIDEr is 0.5 with the map, 0.5 with weights uniform and 0.49 with weights shuffled", if one of
// the other scores is about as good.
std::optional<std::string> needless(const AttentionReport& report) {
  const bool facts = find(report.own, "true_caption_rate").value_or(0) > 0;
  const char* name = facts ? "true_caption_rate" : "CIDEr";
  const std::optional<double> own = find(report.own, name);
  if (!own || !(*own > 0) || report.ablations.empty()) return {};
  double best = 0;
  std::string others;
  for (const AblatedScores& one : report.ablations) {
    const double score = find(one.scores, name).value_or(0);
    best = std::max(best, score);
    others += str(others.empty() ? ", " : " and ", fixed(score), " with weights ",
                  enum_name(one.ablation));
  }
  if (best <= (1 - kLeastLoss) * *own) return {};
  return str(name, " is ", fixed(*own), " with the map", others);
}

// Whether a difference is below kTold by more than its noise; one that is not known is not.
bool collapsed(double difference, double error) { return difference + kOneSided * error < kTold; }

DeadSign collapse(DeadKind kind, double difference, const char* maps) {
  return {kind, str("the maps have collapsed to ", maps,
                    ": one region drawn for each word of a "
                    "caption tells them apart in at most ",
                    percent((1 + difference) / 2), " of the cases, and guessing in 50 %")};
}

std::optional<DeadSign> uniform_sign(const AttentionHealth& health) {
  if (!collapsed(health.from_uniform, health.from_uniform_error)) return {};
  return collapse(DeadKind::kUniform, health.from_uniform, "uniform ones");
}

std::optional<DeadSign> one_cell_sign(const AttentionHealth& health) {
  if (!collapsed(health.from_one_cell, health.from_one_cell_error)) return {};
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

std::vector<DeadSign> dead_signs(const AttentionReport& report) {
  std::vector<DeadSign> signs;
  const AttentionHealth& health = report.health;
  if (health.static_share > kMostShare)
    signs.push_back({DeadKind::kStatic, percent(health.static_share) +
                                            " of the maps repeat the map of the word before"});
  if (const auto uniform = uniform_sign(health)) signs.push_back(*uniform);
  if (const auto scores = needless(report)) {
    // Maps on one cell each may be what captions need: then they point.
    if (const auto cell = one_cell_sign(health)) signs.push_back(*cell);
    signs.push_back({DeadKind::kNeedless, *scores + ": the score does not need the map"});
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
  std::string all;
  for (const DeadSign& sign : dead_signs(report)) all += (all.empty() ? "" : "; ") + sign.text;
  if (all.empty()) return {};
  return "attention looks dead: " + all;
}

}  // namespace saccade
