// Reports the progress of a run: on stderr, in metrics.jsonl and train.log, and for TensorBoard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "captioning/learning/config/train_config.h"
#include "captioning/learning/runs/run_directory.h"
#include "captioning/learning/runs/run_observer.h"
#include "core/base/mean.h"
#include "experiments/process/log.h"
#include "experiments/process/progress.h"
#include "experiments/runs/metrics_log.h"
#include "experiments/runs/tensorboard_log.h"

namespace saccade {

// The cost of training, measured over the updates since the run was started or resumed.
struct Telemetry {
  Index updates = 0;
  double seconds = 0;        // since the first start, resumed parts included
  double ms_per_update = 0;  // the median; making the batch is included
  double captions_per_second = 0;
  std::int64_t peak_memory = 0;  // of the process, in bytes
};

// What a progress line says of learning: -log p per word, without the costs of supervision. It is a
// mean over the words of the last updates, of which newer ones count for more, because batches
// differ.
class RecentNll {
 public:
  void add(const UpdateReport& report);
  // "nll 3.214 per word".
  std::string text() const;

 private:
  double nll_ = 0, words_ = 0;
};

// "update 24 (argmax): BLEU-4 0.1234; CIDEr 0.5000": the line of a validation, with the headlines
// of the registry by their labels, and with the metrics that choose the best checkpoint or end the
// run, which may be others; these also of joined data sets, in the order of `sets`. Labels may have
// commas.
std::string validation_text(const Metrics& metrics, Index update, const std::string& regime,
                            const std::vector<std::string>& chosen = {},
                            const std::vector<std::string>& sets = {});

// "stopped early at update 256: no gain of CIDEr in 4 validations (train.early_stop.patience)".
std::string early_stop_text(const EarlyStopConfig& config, Index update);

class RunReporter : public RunObserver {
 public:
  struct Options {
    std::string label;                        // starts each progress line
    Regime regime = Regime::kExpectation;     // in which validations are decoded
    RunDirectory* directory = nullptr;        // of the files that record the run
    std::set<std::string>* warned = nullptr;  // warnings that are not shown again; may be null
    bool draws = false;                       // whether it writes what hard attention takes
  };
  explicit RunReporter(Options options)
      : options_(std::move(options)),
        progress_(options_.label),
        regime_(enum_name(options_.regime)) {}

  // All of them throw IoError.
  void on_message(Severity severity, const std::string& text) override;
  void on_work(const char* work, Index done, Index total) override;
  // Starts or continues the files in the run's directory.
  void on_start(const RunStart& start) override;
  void on_captions(const RunStart& start, const CaptionModel& model, const EvaluationReport& report,
                   Index update) override;
  void on_end(const TrainingResult& result) override;
  void on_diverged(const std::string& what) override;
  bool wants_draws() const override { return options_.draws; }
  void on_update(const Update& update) override;
  void on_validation(const Metrics& metrics, const TrainingState& state) override;
  void on_checkpoint(const std::filesystem::path& path, const TrainingState& state) override;

  // Of a run that was finished already: what its lines in metrics.jsonl say.
  Telemetry telemetry() const;

 private:
  // Prints a line and writes it to train.log.
  void say(const std::string& text);
  // Prints from where a run continues.
  void say_start(const RunStart& start);
  // Reads what metrics.jsonl says of a run that was finished before this process.
  void read_earlier();
  void write_window();
  // Writes what hard attention took in an update, as "sampled" or "choices" of captions' JSON.
  void write_draws(const Update& update);
  void add_line(const std::string& section, const std::string& json);

  Options options_;
  std::optional<MetricsLog> metrics_;
  std::optional<TensorBoardLog> tensorboard_;
  std::optional<log::FileCopy> log_;
  Progress progress_;
  std::optional<Progress> work_;  // of a validation
  std::string regime_;
  TrainConfig train_;
  std::vector<std::string> sets_;  // the names of joined data sets, in order
  const CaptionModel* model_ = nullptr;
  std::vector<float> milliseconds_;  // of every update
  double training_seconds_ = 0, all_seconds_ = 0;
  Index captions_ = 0;
  Telemetry earlier_;      // of the updates of a finished run; medians of its lines
  bool told_end_ = false;  // the run was finished already, and metrics.jsonl says it
  RecentNll recent_nll_;

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
  std::filesystem::path saved_;  // the checkpoint that was told last
};

}  // namespace saccade
