// The report.html of a run while it trains: written again at times, it tells the browser to look
// for the next one (follow.js).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "captioning/learning/runs/run_observer.h"

namespace saccade {

// Writes the page at the start, after validations, between them for the curves, and at the end.
// Captions and maps are made anew after validations alone. Except for the first page, the first
// captions and the end, it waits until all that it has done takes less than `share` of the time
// since the start. It never ends a training: what goes wrong is warned of once.
class TrainingPage : public RunObserver {
 public:
  struct Options {
    std::filesystem::path file;
    std::string name;  // of the run and its model
    Index images = 0;  // that are captioned, at most
    Split split = Split::kVal;
    double interval = 10;  // seconds between two pages, if there is no validation
    double share = 0.01;   // of the time that the page may take
  };
  explicit TrainingPage(Options options);
  // Writes a last page, which no longer refreshes, unless there is one already.
  ~TrainingPage() override;
  TrainingPage(const TrainingPage&) = delete;
  TrainingPage& operator=(const TrainingPage&) = delete;

  void on_start(const RunStart& start) override;
  void on_captions(const RunStart& start, const CaptionModel& model, const EvaluationReport& report,
                   Index update) override;
  void on_end(const TrainingResult& result) override;
  void on_diverged(const std::string& what) override;
  void on_update(const Update& update) override;
  void on_validation(const Metrics& metrics, const TrainingState& state) override;

  // The final report has taken the place of this page.
  void leave();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
