#include "experiments/compare/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "captioning/metrics/metric_registry.h"
#include "captioning/scoring/text_table.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr double kSmallest = 5e-5;  // the smallest difference that four decimals show

std::string p_text(double p) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), p < 0.001 ? "p < 0.001" : "p = %.2g", p);
  return text.data();
}

// Of a difference that chance does not explain.
std::string finding(const std::string& metric, const JudgedDifference& one) {
  // BLEU adds tiny numbers to its counts, so that even scores of 0 may differ in every run.
  if (std::abs(one.value) < kSmallest) return "a reliable difference, but too small to matter,";
  if (is_better(metric, one.value, 0)) return "better";
  return is_better(metric, 0, one.value) ? "worse" : "a reliable difference";
}

// Over what a difference was tested: seeds and images, or images alone.
std::string basis(const JudgedDifference& one) {
  if (one.over == IntervalOver::kImages && one.same_seed)
    return " over the images of one seed, which tells nothing about other seeds";
  if (one.over == IntervalOver::kImages)
    return " over the images of one run each; the runs differ in the seed, too, and with it in "
           "first weights and batches";
  if (one.same_seed) return str(" with ", one.seeds, " seeds");
  return str(" with ", one.seeds, " seeds against ", one.reference_seeds,
             " that are not the same seeds");
}

std::string sentence(const JudgedMetric& metric, double level) {
  const JudgedDifference& one = *metric.difference;
  std::string out = str(metric_label(metric.name), " is ", four_decimals(std::abs(one.value)),
                        one.value < 0 ? " lower (" : " higher (", 100 * level, " % interval [",
                        four_decimals(one.interval.low), ", ", four_decimals(one.interval.high),
                        "], ", p_text(one.p_value));
  if (p_text(one.holm) != p_text(one.p_value)) out += str(", ", p_text(one.holm), " after Holm");
  out += "): " + finding(metric.name, one);
  return out + basis(one);
}

// What there is no evidence for: "BLEU-4 -0.0012 (p = 0.4)", with the corrected p-value.
std::string without_evidence(const JudgedMetric& metric) {
  const JudgedDifference& one = *metric.difference;
  const bool negative = one.value < 0 && std::abs(one.value) >= kSmallest;
  return str(metric_label(metric.name), negative ? " -" : " +", four_decimals(std::abs(one.value)),
             " (", p_text(one.holm),
             p_text(one.holm) == p_text(one.p_value) ? ")" : " after Holm)");
}

// What describes one arm: a sentence for each difference, and one for all metrics without evidence
// of any.
void add_sentences(const JudgedRow& row, const Judgement& judgement,
                   std::vector<std::string>& out) {
  const std::string who = str(row.arm->arm.name, " (", enum_name(row.regime), ") against ",
                              judgement.reference->arm.name, ": ");
  const double level = judgement.resampling.level;
  std::vector<std::pair<std::string, std::string>> folded;  // what it rests on, and the metrics
  for (const std::string& name : headline_metrics(judgement)) {
    const JudgedMetric* metric = row.find(name);
    if (!metric || !metric->difference || std::isnan(metric->difference->holm)) continue;
    const JudgedDifference& one = *metric->difference;
    if (one.holm < 1 - level) {
      out.push_back(who + sentence(*metric, level));
      continue;
    }
    const auto same = std::find_if(folded.begin(), folded.end(),
                                   [&](const auto& other) { return other.first == basis(one); });
    if (same == folded.end())
      folded.emplace_back(basis(one), without_evidence(*metric));
    else
      same->second += ", " + without_evidence(*metric);
  }
  for (const auto& [on, metrics] : folded)
    out.push_back(str(who, "no evidence of a difference", on, ": ", metrics));
}

}  // namespace

std::vector<std::string> headline_metrics(const Judgement& judgement) {
  std::vector<std::string> names;
  for (const MetricInfo& info : all_metrics())
    if (std::any_of(judgement.rows.begin(), judgement.rows.end(),
                    [&](const JudgedRow& row) { return row.find(info.name); }))
      names.push_back(info.name);
  return headlines_of(names);
}

std::vector<std::string> verdict(const Judgement& judgement) {
  std::vector<std::string> out;
  const ArmResult* arm = nullptr;
  for (const JudgedRow& row : judgement.rows) {
    if (row.arm == arm) continue;  // the table has the arm's other regimes
    arm = row.arm;
    if (arm == judgement.reference) continue;
    if (row.other_images) {
      out.push_back(str(arm->arm.name, " was scored on other images than ",
                        judgement.reference->arm.name, ", so it is not tested against it"));
      continue;
    }
    add_sentences(row, judgement, out);
  }
  return out;
}

}  // namespace saccade
