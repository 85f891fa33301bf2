// Trains one arm of a comparison with one seed, or finds it trained, and scores it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "captioning/grounding/noun_boxes.h"
#include "experiments/compare/comparison.h"
#include "experiments/model_sheets.h"
#include "experiments/training_run.h"

namespace saccade {

class ArmRunner {
 public:
  // Arms are kept below `out`, in <arm>/seed-<n>. `boxes`: what judges the maps of photos
  // (noun_boxes.h); empty for data.boxes of the arms. The signal must outlive this.
  ArmRunner(std::filesystem::path out, std::filesystem::path boxes, const StopSignal& signal);

  // Where a run of an arm is kept.
  std::filesystem::path directory(const Arm& arm, std::int64_t seed) const;
  // Throws BusyError when the run of an arm that is there already cannot go on with this config:
  // what is finished must not be reported as failed.
  void refuse_other_config(const Arm& arm, std::int64_t seed) const;

  // Trains until the end, or goes on where it stopped, then scores the best checkpoint in every
  // regime. What goes wrong with this arm is said and kept in the result. Throws Stopped.
  SeedResult run(const Arm& arm, std::int64_t seed, const std::string& label);

  // Trains a trial of an arm as run() does and says what its best checkpoint scored on the
  // validation images, by train.best_metric. Throws Stopped.
  Trial try_out(const Arm& trial, std::int64_t seed, const std::string& label);
  // Scores a run that was trained elsewhere, as run() does. Throws what loading it throws.
  SeedResult score_run(const Arm& arm, std::int64_t seed, const std::filesystem::path& directory,
                       const std::filesystem::path& checkpoint);
  // Writes the config of an arm's run beside its directory and returns the path. Throws IoError.
  std::filesystem::path write_config(const Arm& arm, std::int64_t seed) const;
  // Whether the run of an arm is there and ended with this very config.
  bool is_finished(const Arm& arm, std::int64_t seed) const;

  // Loads the data of an arm, unless that of the last arm serves. Throws what RunData and
  // read_photo_boxes throw; boxes are for photos only.
  void load(const ExperimentConfig& config);

  // Forgets the loaded data, to make room for processes that load their own.
  void forget() { data_.reset(); }

  // Fills in data set, split and number of images.
  void describe(Comparison& comparison) const;
  // The arms' maps side by side, of the first seed.
  std::vector<std::filesystem::path> write_sheets() const;

 private:
  TrainingResult train(const Arm& arm, std::int64_t seed, const std::string& label);
  void train_and_score(const Arm& arm, const std::string& label, SeedResult& result);
  void score(const Arm& arm, SeedResult& result);

  std::filesystem::path out_, boxes_path_;
  const StopSignal* signal_;
  std::set<std::string> warned_;             // warnings that arms share
  std::shared_ptr<const RunData> data_;      // of the last arm, kept for the next if it serves
  std::unique_ptr<const PhotoBoxes> boxes_;  // of that data
  // Sheets need data that all their arms share: that of the first arm.
  std::shared_ptr<const RunData> sheet_data_;
  std::unique_ptr<ModelSheets> sheets_;
  std::optional<std::int64_t> sheet_seed_;
  std::string dataset_;
  Split split_ = Split::kTest;
  Index images_ = 0;
};

}  // namespace saccade
