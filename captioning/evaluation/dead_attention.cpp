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
constexpr double kMostShare = 0.9;   // of static maps, and of uniform maps

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

}  // namespace

NamedScores judging_scores(const NamedScores& all) {
  NamedScores out;
  for (const char* name : {"CIDEr", "Bleu_4", "true_caption_rate"})
    if (const std::optional<double> score = find(all, name)) out.emplace_back(name, *score);
  return out;
}

std::vector<DeadSign> dead_signs(const AttentionReport& report) {
  std::vector<DeadSign> signs;
  const AttentionHealth& health = report.health;
  if (health.static_share > kMostShare)
    signs.push_back({DeadKind::kStatic, percent(health.static_share) +
                                            " of the maps repeat the map of the word before"});
  if (health.uniform_share > kMostShare)
    signs.push_back(
        {DeadKind::kUniform, percent(health.uniform_share) + " of the maps are uniform"});
  if (const auto scores = needless(report))
    signs.push_back({DeadKind::kNeedless, *scores + ": the score does not need the map"});
  return signs;
}

std::optional<std::string> dead_attention(const AttentionReport& report) {
  std::string all;
  for (const DeadSign& sign : dead_signs(report)) all += (all.empty() ? "" : "; ") + sign.text;
  if (all.empty()) return {};
  return "attention looks dead: " + all;
}

}  // namespace saccade
