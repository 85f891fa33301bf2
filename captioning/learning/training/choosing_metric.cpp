#include "captioning/learning/training/choosing_metric.h"

#include "captioning/scoring/metrics/metric_registry.h"
#include "core/base/error.h"

namespace saccade {

namespace {

bool may_choose(const MetricInfo& info) {
  return (info.measured_by & kMeasuredByValidation) != 0 && info.better != Better::kNeither;
}

void check(const char* key, const std::string& name) {
  const MetricInfo* known = find_metric(name);
  if (known != nullptr && may_choose(*known)) return;
  constexpr const char* kWhere = "; `saccade list metrics` tells by which a run can choose";
  if (known == nullptr) {
    throw UsageError(
        str(key, ": there is no metric '", name, "'", metric_meant(name, may_choose), kWhere));
  }
  if (known->better == Better::kNeither)
    throw UsageError(
        str(key, ": of ", name, " neither larger nor smaller values are better", kWhere));
  throw UsageError(str(key, ": validations do not measure ", name, kWhere));
}

}  // namespace

void check_choosing_metrics(const TrainConfig& config) {
  check("train.best_metric", config.best_metric);
  check("train.early_stop.metric", config.early_stop.metric);
}

bool chosen_by(const TrainConfig& config, std::string_view metric) {
  return config.best_metric == metric ||
         (config.early_stop.patience > 0 && config.early_stop.metric == metric);
}

double unmeasured_value(const std::string& name) {
  return metric(name).better == Better::kSmaller ? 1 : 0;
}

}  // namespace saccade
