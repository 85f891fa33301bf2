#include "experiments/runs/reported_run.h"

#include <memory>
#include <optional>

#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/progress.h"

namespace saccade {

RunData load_run_data(const ExperimentConfig& config, const RunData::Request& request,
                      const StopSignal& signal) {
  // The listener stays with the data, longer than this call.
  const auto bar = std::make_shared<std::optional<Progress>>();
  const auto listener = [bar](Severity severity, const std::string& text) {
    if (*bar) (*bar)->clear();
    log::show(severity, text);
  };
  const auto progress = [&](const char* work, Index done, Index total) {
    signal.check();
    if (total == 0) return;
    if (!*bar) bar->emplace(work);
    (*bar)->show(static_cast<double>(done) / static_cast<double>(total),
                 std::to_string(done) + " of " + std::to_string(total) + " images");
  };
  RunData data(config, request, listener, progress);
  bar->reset();
  return data;
}

ReportedResult run_reported(const ReportedRequest& request, const StopSignal& signal) {
  RunReporter reporter({.label = request.label,
                        .regime = evaluation_regimes(*request.config).front(),
                        .directory = request.directory,
                        .warned = request.warned});
  ReportedResult result{run_training({.config = request.config,
                                      .data = request.data,
                                      .directory = request.directory,
                                      .observer = &reporter,
                                      .resume = request.resume,
                                      .validation = request.validation,
                                      .stop = &signal.number(),
                                      .models = given_model_folders()}),
                        {}};
  result.telemetry = reporter.telemetry();
  return result;
}

}  // namespace saccade
