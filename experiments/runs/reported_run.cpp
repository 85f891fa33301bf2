#include "experiments/runs/reported_run.h"

#include <array>
#include <memory>
#include <optional>

#include "core/parallel/ranks/ranks.h"
#include "experiments/process/log.h"
#include "experiments/process/model_places.h"
#include "experiments/process/progress.h"

namespace saccade {

namespace {

// Passes everything to one observer and then to another. Over ranks, only the first one has them,
// so that they work alone.
class TwoObservers : public RunObserver {
 public:
  TwoObservers(RunObserver& first, RunObserver& second) : both_{&first, &second} {}

  void on_message(Severity severity, const std::string& text) override {
    each([&](RunObserver& one) { one.on_message(severity, text); });
  }
  void on_work(const char* work, Index done, Index total) override {
    each([&](RunObserver& one) { one.on_work(work, done, total); });
  }
  void on_start(const RunStart& start) override {
    each([&](RunObserver& one) { one.on_start(start); });
  }
  void on_captions(const RunStart& start, const CaptionModel& model, const EvaluationReport& report,
                   Index update) override {
    each([&](RunObserver& one) { one.on_captions(start, model, report, update); });
  }
  void on_end(const TrainingResult& result) override {
    each([&](RunObserver& one) { one.on_end(result); });
  }
  void on_diverged(const std::string& what) override {
    each([&](RunObserver& one) { one.on_diverged(what); });
  }
  bool wants_draws() const override { return both_[0]->wants_draws() || both_[1]->wants_draws(); }
  void on_update(const Update& update) override {
    each([&](RunObserver& one) { one.on_update(update); });
  }
  void on_validation(const Metrics& metrics, const TrainingState& state) override {
    each([&](RunObserver& one) { one.on_validation(metrics, state); });
  }
  void on_checkpoint(const std::filesystem::path& path, const TrainingState& state) override {
    each([&](RunObserver& one) { one.on_checkpoint(path, state); });
  }

 private:
  template <class Tell>
  void each(Tell tell) {
    const parallel::OverRanks alone(nullptr);
    for (RunObserver* one : both_) tell(*one);
  }
  std::array<RunObserver*, 2> both_;
};

}  // namespace

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
  TrainingRequest training{.config = request.config,
                           .data = request.data,
                           .directory = request.directory,
                           .resume = request.resume,
                           .validation = request.validation,
                           .stop = &signal.number(),
                           .models = given_model_folders(),
                           .meteor = request.meteor};
  if (!parallel::is_first_rank()) {
    RunObserver silent;
    training.observer = &silent;
    return {run_training(training), {}};
  }
  RunReporter reporter({.label = request.label,
                        .regime = evaluation_regimes(*request.config).front(),
                        .directory = request.directory,
                        .warned = request.warned,
                        .draws = request.draws});
  RunObserver nobody;
  TwoObservers both(reporter, request.follower ? *request.follower : nobody);
  training.observer = &both;
  ReportedResult result{run_training(training), {}};
  result.telemetry = reporter.telemetry();
  return result;
}

}  // namespace saccade
