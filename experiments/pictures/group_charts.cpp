#include "experiments/pictures/group_charts.h"

#include <algorithm>

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "vision/drawing/interval_chart.h"

namespace saccade {

namespace {

IntervalChart chart_of(const EvaluationReport& report, const ScoreGrouping& grouping) {
  IntervalChart chart{.title = str(report.dataset, ", ", evaluated_name(report.split), ", regime ",
                                   enum_name(report.regimes.front().regime)),
                      .note = str(grouping.text, "; lines: 95 % intervals over ",
                                  report.texts ? "texts" : "images")};
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const ScoreGroup& group = grouping.groups[g];
    chart.rows.push_back(str(group.name(grouping.by), " (", group.images,
                             group.images < kFewImages ? ", small sample)" : ")"));
    for (const GroupScore& one : group.scores) {
      auto panel = std::find_if(chart.panels.begin(), chart.panels.end(), [&](const auto& known) {
        return known.name == metric_label(one.metric);
      });
      if (panel == chart.panels.end())
        panel = chart.panels.insert(panel, {.name = metric_label(one.metric), .dots = {}});
      panel->dots.resize(g);
      panel->dots.push_back({.value = one.score, .low = one.low, .high = one.high});
    }
  }
  for (IntervalPanel& panel : chart.panels) panel.dots.resize(chart.rows.size());
  return chart;
}

}  // namespace

std::vector<std::filesystem::path> write_group_charts(const EvaluationReport& report,
                                                      const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const ScoreGrouping& grouping : report.regimes.front().groups) {
    const IntervalChart chart = chart_of(report, grouping);
    if (chart.panels.empty()) continue;
    make_folders(folder);
    for (const PictureFormat format : {PictureFormat::kPng, PictureFormat::kSvg}) {
      paths.push_back(folder / str("groups.", enum_name(grouping.by), ".", enum_name(format)));
      write_file(paths.back(), interval_chart_file(chart, format));
    }
  }
  return paths;
}

}  // namespace saccade
