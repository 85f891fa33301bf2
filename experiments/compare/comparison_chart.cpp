#include "experiments/compare/comparison_chart.h"

#include <algorithm>
#include <vector>

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"
#include "experiments/compare/comparison_text.h"
#include "experiments/compare/verdict.h"
#include "vision/drawing/interval_chart.h"

namespace saccade {

namespace {

// The row of each arm's first regime.
std::vector<const JudgedRow*> first_rows(const Judgement& judgement) {
  std::vector<const JudgedRow*> out;
  for (const JudgedRow& row : judgement.rows)
    if (out.empty() || out.back()->arm != row.arm) out.push_back(&row);
  return out;
}

std::string note_of(const Judgement& judgement, const std::vector<const JudgedRow*>& rows) {
  bool images = false, seeds = false;
  for (const JudgedRow* row : rows)
    for (const JudgedMetric& metric : row->metrics)
      (metric.over == IntervalOver::kImages ? images : seeds) = true;
  std::string out = str("Dots: means; lines: ", 100 * judgement.level(), " % intervals over ");
  if (seeds) out += "seeds and images (Student's t)";
  if (seeds && images) out += ", or over ";
  if (images) out += "images alone (bootstrap; of rates, Wilson's) where there is one seed";
  return out + ".";
}

}  // namespace

std::string comparison_svg(const Comparison& comparison, const Judgement& judgement) {
  const std::vector<const JudgedRow*> rows = first_rows(judgement);
  const std::vector<std::string> metrics = headline_metrics(judgement);
  if (rows.empty() || metrics.empty()) return "";
  IntervalChart chart{.title = headline(comparison), .note = note_of(judgement, rows)};
  for (const JudgedRow* row : rows) {
    if (row->arm == judgement.reference) chart.reference = static_cast<int>(chart.rows.size());
    chart.rows.push_back(row->regime == rows.front()->regime
                             ? row->arm->arm.name
                             : str(row->arm->arm.name, " (", enum_name(row->regime), ")"));
  }
  for (const std::string& name : metrics) {
    IntervalPanel panel{.name = metric_label(name), .dots = {}};
    for (const JudgedRow* row : rows) {
      const JudgedMetric* own = row->find(name);
      panel.dots.push_back(own ? IntervalDot{.value = own->spread.mean,
                                             .low = own->interval.low,
                                             .high = own->interval.high}
                               : IntervalDot{});
    }
    chart.panels.push_back(std::move(panel));
  }
  return interval_chart_file(chart, PictureFormat::kSvg);
}

}  // namespace saccade
