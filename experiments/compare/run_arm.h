// Trains one arm of a comparison with one seed, unless it is trained already, and scores it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "captioning/study/grounding/noun_boxes.h"
#include "experiments/compare/comparison.h"
#include "experiments/pictures/model_sheets.h"
#include "experiments/runs/reported_run.h"

namespace saccade {

class ArmRunner {
 public:
  // Runs are kept below `out`, in <arm>/seed-<n>. `boxes` is the file by whose boxes the maps of
  // photos are judged (noun_boxes.h); empty for data.boxes of the arms. `meteor` are its tables.
  // The signal must outlive this object.
  ArmRunner(std::filesystem::path out, std::filesystem::path boxes, MeteorOptions meteor,
            const StopSignal& signal);

  // The directory of an arm's run.
  std::filesystem::path directory(const Arm& arm, std::int64_t seed) const;
  // Throws BusyError where a run of the arm exists and cannot be continued with this config: a
  // finished run must not be reported as failed.
  void refuse_other_config(const Arm& arm, std::int64_t seed) const;

  // Trains a run to its end, continuing where it stopped, and scores its best checkpoint in every
  // regime. An error of this arm is reported and kept in the result. Throws Stopped.
  SeedResult run(const Arm& arm, std::int64_t seed, const std::string& label);

  // Trains a trial of an arm as run() does. Its score is train.best_metric of the best checkpoint
  // on the validation images. Throws Stopped.
  Trial try_out(const Arm& trial, std::int64_t seed, const std::string& label);
  // Scores a run that was trained before, as run() does. Throws what loading it throws.
  SeedResult score_run(const Arm& arm, std::int64_t seed, const std::filesystem::path& directory,
                       const std::filesystem::path& checkpoint);
  // Writes the config of an arm's run beside its directory and returns the path. Throws IoError.
  std::filesystem::path write_config(const Arm& arm, std::int64_t seed) const;
  // Whether the run of an arm exists and was finished with exactly this config.
  bool is_finished(const Arm& arm, std::int64_t seed) const;

  // Loads the data of an arm, unless the last arm had the same data. Throws what RunData and
  // read_photo_boxes throw.
  void load(ExperimentConfig config, bool of_checkpoint = false);
  // What load() has loaded last.
  const LoadedData& loaded() const { return data_->loaded(); }

  // Frees the loaded data, to leave memory to processes that load their own.
  void forget() { data_.reset(); }

  // Fills in the data set, the split, the number of images and METEOR's tables.
  void describe(Comparison& comparison) const;
  // Writes sheets with the maps of all arms side by side, for the first seed.
  std::vector<std::filesystem::path> write_sheets() const;

 private:
  TrainingResult train(const Arm& arm, std::int64_t seed, const std::string& label);
  void train_and_score(const Arm& arm, const std::string& label, SeedResult& result);
  void score(const Arm& arm, SeedResult& result);

  std::filesystem::path out_, boxes_path_;
  MeteorOptions meteor_;
  const StopSignal* signal_;
  std::set<std::string> warned_;             // warnings that were shown already
  std::shared_ptr<const RunData> data_;      // of the last arm, kept for arms with the same data
  std::unique_ptr<const PhotoBoxes> boxes_;  // of that data
  // Sheets show the arms that share the data of the first arm.
  std::shared_ptr<const RunData> sheet_data_;
  std::unique_ptr<ModelSheets> sheets_;
  std::optional<std::int64_t> sheet_seed_;
  std::string dataset_, meteor_tables_;
  Split split_ = Split::kTest;
  Index images_ = 0;
};

}  // namespace saccade
