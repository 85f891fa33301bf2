// The metrics by which a run chooses its best checkpoint and stops early.
#pragma once

#include <string>
#include <string_view>

#include "captioning/learning/config/train_config.h"

namespace saccade {

// Throws UsageError unless train.best_metric and train.early_stop.metric are metrics that
// validations measure and of which one of two values is better (metrics/metric_registry.h). Whether
// the validations of a run measure them depends on its data and its model, too.
void check_choosing_metrics(const TrainConfig& config);

// Whether the best checkpoint or the end of a run is chosen by this metric. Those of single sets of
// several joined ones do not choose.
bool chosen_by(const TrainConfig& config, std::string_view metric);

// What such a metric counts as where a validation could not measure it, because no noun was said or
// no word has a map: the worst value of a share, 0 or 1.
double unmeasured_value(const std::string& metric);

}  // namespace saccade
