// Tells people and files how a run goes: progress on stderr, metrics.jsonl, train.log, TensorBoard.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "captioning/training/trainer.h"
#include "core/base/log.h"
#include "core/base/mean.h"
#include "experiments/metrics_log.h"
#include "experiments/progress.h"
#include "experiments/tensorboard_log.h"

namespace saccade {

// What training cost; of the updates since it was started or resumed.
struct Telemetry {
  Index updates = 0;
  double seconds = 0;        // of all resumptions
  double ms_per_update = 0;  // the median, batch included
  double captions_per_second = 0;
  std::int64_t peak_memory = 0;  // bytes, of the process
};

class RunReporter : public TrainObserver {
 public:
  // `label` starts each progress line; `regime` is what validations are decoded in.
  RunReporter(std::string label, std::string regime)
      : progress_(std::move(label)), regime_(std::move(regime)) {}
  // Starts or continues a run's files in its directory; before the first report. `resumed_at`: the
  // update from which it goes on. Throws IoError.
  void open(const std::filesystem::path& directory, std::optional<Index> resumed_at);

  void on_update(const Update& update) override;
  void on_validation(const Metrics& metrics, const TrainingState& state) override;
  void on_checkpoint(const std::filesystem::path& path, const TrainingState& state) override;

  // Adds a JSON object to metrics.jsonl. Throws IoError.
  void event(const std::string& json) { metrics_->add(json); }
  // What TensorBoard shows besides numbers.
  TensorBoardLog& tensorboard() { return *tensorboard_; }
  // Prints a line and keeps it in train.log.
  void say(const std::string& text);
  // Keeps a line in train.log alone.
  void note(const std::string& text) { log_->note(text); }
  // Takes the bar away, so that something else can be shown.
  void clear_progress() { progress_.clear(); }
  Telemetry telemetry() const;

 private:
  void write_window();
  void add_line(const std::string& section, const std::string& json);

  std::optional<MetricsLog> metrics_;
  std::optional<TensorBoardLog> tensorboard_;
  std::optional<log::FileCopy> log_;
  Progress progress_;
  std::string regime_;
  std::vector<float> milliseconds_;  // of every update
  double training_seconds_ = 0, all_seconds_ = 0;
  Index captions_ = 0;

  // Since the last line in metrics.jsonl.
  struct Window {
    std::vector<float> milliseconds;
    double loss = 0, nll = 0, penalty = 0, grad_norm = 0;  // sums; nll over words
    double baseline = 0, lr = 0;
    EstimatorMeans estimator;
    std::map<std::string, Mean> supervision;  // of UpdateReport::supervision, over updates
    Index captions = 0, words = 0, update = 0, epoch = 0;
    SelfCriticalReport self_critical{};  // sums over updates
    Index self_critical_updates = 0;
    void add(const SelfCriticalReport& report);
  };
  Window window_;
};

}  // namespace saccade
