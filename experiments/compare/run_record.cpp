#include "experiments/compare/run_record.h"

#include "experiments/runs/metrics_log.h"

namespace saccade {

namespace {

double number_in(const MetricsLine& line, const char* name) {
  const auto found = line.numbers.find(name);
  return found == line.numbers.end() ? 0 : found->second;
}

Telemetry cost_of(const MetricsLine& end) {
  return {.updates = end.count("update").value_or(0),
          .seconds = number_in(end, "seconds"),
          .ms_per_update = number_in(end, "ms_per_update"),
          .captions_per_second = number_in(end, "captions_per_second"),
          .peak_memory = end.count("peak_memory_bytes").value_or(0)};
}

}  // namespace

RunRecord read_run_record(const std::filesystem::path& metrics) {
  RunRecord record;
  read_metrics(metrics, [&](const MetricsLine& line) {
    record.finished = line.ends_run();
    if (line.event == "end") record.cost = cost_of(line);
    if (line.event == "validation" && !line.estimator.empty()) record.estimator = line.estimator;
  });
  return record;
}

}  // namespace saccade
