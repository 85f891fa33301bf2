#include "experiments/compare/verdict.h"

#include <algorithm>
#include <cmath>

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/table.h"
#include "experiments/compare/comparison_text.h"

namespace saccade {

namespace {

bool one_run_each(const JudgedDifference& one) { return one.over == IntervalOver::kImages; }

// Of a difference that chance does not explain.
std::string finding(const std::string& metric, const JudgedDifference& one) {
  // BLEU adds tiny numbers to its counts, so that even scores of 0 may differ in every run.
  if (std::min(one.seeds, one.reference_seeds) == 1) {
    if (std::abs(one.value) < kSmallestShown) return "a difference that four decimals do not show,";
    return str(one.seeds == 1 ? "this run scores " : "these runs score ",
               one.value < 0 ? "lower" : "higher");
  }
  if (std::abs(one.value) < kSmallestShown)
    return "a reliable difference, but too small to matter,";
  if (is_better(metric, one.value, 0)) return "better";
  return is_better(metric, 0, one.value) ? "worse" : "a reliable difference";
}

// Over what a difference was tested: seeds and images, or images alone.
std::string basis(const JudgedDifference& one, const Judgement& judgement) {
  if (one_run_each(one)) {
    if (!judgement.regimes) return " on these images, which tells nothing about other runs";
    if (one.same_seed) return " over the images of one seed, which tells nothing about other seeds";
    return " over the images of one run each; the runs differ in the seed, too, and with it in "
           "first weights and batches";
  }
  if (one.same_seed) return str(" with ", one.seeds, " seeds");
  const char* what = judgement.regimes ? " seeds" : " runs";
  if (one.seeds == 1)
    return str(" as a single one against ", one.reference_seeds, what,
               ", whose spread is taken for its own");
  if (one.reference_seeds == 1)
    return str(" with ", one.seeds, what,
               " against a single one, for whose spread theirs is taken");
  return str(" with ", one.seeds, what, " against ", one.reference_seeds,
             judgement.regimes ? " that are not the same seeds" : "");
}

std::string interval_text(const Interval& one) { return saccade::interval_text(one.low, one.high); }

// "p = 0.033, p = 0.099 after Holm for 6 tests".
std::string p_texts(const JudgedDifference& one) {
  std::string out = p_text(one.p_value);
  if (p_text(one.holm) != out)
    out += str(", ", p_text(one.holm), " after Holm for ", counted(one.tests, "test"));
  return out;
}

bool within_margin(const JudgedDifference& one, double level) {
  return one.margin > 0 && one.p_outside < 1 - level;
}

std::string sentence(const JudgedMetric& metric, const Judgement& judgement) {
  const JudgedDifference& one = *metric.difference;
  std::string out = str(metric_label(metric.name), " is ", decimals(std::abs(one.value)),
                        one.value < 0 ? " lower (" : " higher (", 100 * judgement.level(),
                        " % interval ", interval_text(one.interval), ", ", p_texts(one), ")");
  if (within_margin(one, judgement.level())) out += str(", within ", one.margin);
  return out + ": " + finding(metric.name, one) + basis(one, judgement);
}

// What there is no evidence for: "BLEU-4 -0.0012 [-0.0100, 0.0076] (p = 0.4; power .80 from 0.0125
// on)".
std::string without_evidence(const JudgedMetric& metric, const Judgement& judgement) {
  const JudgedDifference& one = *metric.difference;
  std::string out = str(metric_label(metric.name), " ", signed_number(one.value), " ",
                        interval_text(one.interval), " (", p_texts(one));
  if (const double least = one.detectable(judgement.level()); least >= kSmallestShown)
    out += str("; power .80 from ", decimals(least), " on");
  if (one.margin > 0) out += str("; not shown to be within ", one.margin);
  return out + ")";
}

// The metrics that were declared: the primary one and those with a margin.
std::vector<std::string> asked_metrics(const Judgement& judgement) {
  std::vector<std::string> out;
  if (!judgement.options.primary.empty()) out.push_back(judgement.options.primary);
  for (const auto& [name, margin] : judgement.options.margins)
    if (name != judgement.options.primary) out.push_back(name);
  return out;
}

// A list of what has the same words in front of it.
struct Folded {
  std::string words, items;
  bool leaves_out_0 = false;  // the interval of one of them
};

void add(std::vector<Folded>& to, const std::string& words, const std::string& item,
         const Interval& interval) {
  auto same =
      std::find_if(to.begin(), to.end(), [&](const Folded& one) { return one.words == words; });
  if (same == to.end()) same = to.insert(to.end(), {words, "", false});
  same->items += (same->items.empty() ? "" : ", ") + item;
  same->leaves_out_0 =
      same->leaves_out_0 || interval.low >= kSmallestShown || interval.high <= -kSmallestShown;
}

// What describes one arm: a sentence for each difference, and one for all metrics of which the same
// is to be said.
void add_sentences(const JudgedRow& row, const Judgement& judgement,
                   std::vector<std::string>& out) {
  const std::string who =
      str(row_name(row, judgement), " against ", judgement.reference->arm.name, ": ");
  std::vector<Folded> folded;
  Index images = 0;
  for (const std::string& name : headline_metrics(judgement)) {
    const JudgedMetric* metric = row.find(name);
    if (!metric || !metric->difference) continue;
    images = metric->images;
    if (images < kFewestImages) continue;
    const JudgedDifference& one = *metric->difference;
    const std::string value = str(metric_label(name), " ", signed_number(one.value));
    if (one.both_zero)
      add(folded, "no test, because both scores print as 0.0000:", metric_label(name), {});
    else if (std::isnan(one.holm))
      add(folded, str("no test, because too many resamples have no score:"), value, {});
    else if (!one.enough_seeds())
      add(folded,
          str("no verdict from two ", judgement.regimes ? "seeds" : "runs", ", at least ",
              kFewestSeeds, " are needed:"),
          str(value, " ", interval_text(one.interval),
              one.margin > 0 ? str(" (not tested against its margin of ", one.margin, ")") : ""),
          {});
    else if (is_finding(judgement, *metric))
      out.push_back(who + sentence(*metric, judgement));
    else if (within_margin(one, judgement.level()))
      out.push_back(str(who, metric_label(name), " is equal within ", one.margin, " (",
                        100 * (2 * judgement.level() - 1), " % interval ",
                        interval_text(one.error.interval(one.value, 2 * judgement.level() - 1)),
                        ", two one-sided tests, ", p_text(one.p_outside), ")",
                        basis(one, judgement)));
    else
      add(folded, str("no evidence of a difference", basis(one, judgement), ":"),
          without_evidence(*metric, judgement), one.interval);
  }
  for (const std::string& name : asked_metrics(judgement))
    if (const JudgedMetric* metric = row.find(name); !metric || !metric->difference)
      add(folded, "no test, because not every run has such a score:", metric_label(name), {});
  for (const Folded& one : folded)
    out.push_back(str(who, one.words, " ", one.items,
                      one.leaves_out_0 ? "; an interval that leaves out 0 is none of the evidence: "
                                         "it is not corrected for the number of tests"
                                       : ""));
  if (images > 0 && images < kFewestImages)
    out.push_back(str(who, "no verdict from ", counted(images, "image"), ", which needs at least ",
                      kFewestImages));
}

}  // namespace

std::vector<std::string> headline_metrics(const Judgement& judgement) {
  std::vector<std::string> names;
  for (const MetricInfo& info : all_metrics())
    if (std::any_of(judgement.rows.begin(), judgement.rows.end(),
                    [&](const JudgedRow& row) { return row.find(info.name); }))
      names.push_back(info.name);
  std::vector<std::string> out = headlines_of(names);
  const auto contains = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : asked_metrics(judgement))
    if (contains(names, name) && !contains(out, name)) out.push_back(name);
  return in_table_order(std::move(out));
}

bool is_finding(const Judgement& judgement, const JudgedMetric& metric) {
  return metric.difference && metric.difference->holm < 1 - judgement.level() &&
         metric.images >= kFewestImages && metric.difference->enough_seeds();
}

std::vector<std::string> verdict(const Judgement& judgement) {
  std::vector<std::string> out;
  const ArmResult* arm = nullptr;
  Index images = kFewImages;
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
    for (const JudgedMetric& metric : row.metrics) images = std::min(images, metric.images);
  }
  if (!out.empty() && images >= kFewestImages && images < kFewImages)
    out.push_back(str("small sample: ", images, " images; with fewer than ", kFewImages,
                      " intervals are too narrow"));
  return out;
}

}  // namespace saccade
