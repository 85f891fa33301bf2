// Reports the progress of a run: on stderr, in metrics.jsonl and train.log, and for TensorBoard.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "captioning/training/trainer.h"
#include "core/base/mean.h"
#include "experiments/log.h"
#include "experiments/metrics_log.h"
#include "experiments/progress.h"
#include "experiments/tensorboard_log.h"

namespace saccade {

// The cost of training, measured over the updates since the run was started or resumed.
struct Telemetry {
  Index updates = 0;
  double seconds = 0;        // since the first start, resumed parts included
  double ms_per_update = 0;  // the median; making the batch is included
  double captions_per_second = 0;
  std::int64_t peak_memory = 0;  // of the process, in bytes
};

class RunReporter : public TrainObserver {
 public:
  // `label` starts each progress line; `regime` is the regime in which validations are decoded.
  RunReporter(std::string label, std::string regime)
      : progress_(std::move(label)), regime_(std::move(regime)) {}
  // Starts or continues the files in the run's directory; to be called before the first report.
  // `resumed_at` is the update from which a resumed run continues. Throws IoError.
  void open(const std::filesystem::path& directory, std::optional<Index> resumed_at);

  void on_update(const Update& update) override;
  void on_validation(const Metrics& metrics, const TrainingState& state) override;
  void on_checkpoint(const std::filesystem::path& path, const TrainingState& state) override;

  // Adds a JSON object to metrics.jsonl. Throws IoError.
  void event(const std::string& json) { metrics_->add(json); }
  // The log of what TensorBoard shows besides numbers.
  TensorBoardLog& tensorboard() { return *tensorboard_; }
  // Prints a line and writes it to train.log.
  void say(const std::string& text);
  // Writes a line to train.log only.
  void note(const std::string& text) { log_->note(text); }
  // Erases the progress bar, so that something else can be shown.
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
    std::map<std::string, Mean> supervision;  // UpdateReport::supervision, over updates
    Index captions = 0, words = 0, update = 0, epoch = 0;
    SelfCriticalReport self_critical{};  // sums over updates
    Index self_critical_updates = 0;
    void add(const SelfCriticalReport& report);
  };
  Window window_;
};

}  // namespace saccade
