// What tests of commands share: their standard output, and a checkpoint of a small untrained model.
#pragma once

#include "captioning/learning/runs/checkpoint_content.h"
#include "core/base/error.h"
#include "core/io/checkpoint.h"
#include "experiments/commands/model_session.h"
#include "tests/experiments/printed.h"
#include "tests/experiments/small_run.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {

constexpr int kOk = static_cast<int>(ExitCode::kOk);

// A folder with model.h5, and pictures of the first validation scenes as PNG files.
class Fixture {
 public:
  explicit Fixture(const std::string& selection) : Fixture(test::small_experiment(selection)) {}
  explicit Fixture(const ExperimentConfig& config) : config_(config) {
    data_ = load_data(config_.data);
    CaptionModel model(config_, training_vocabulary(data_, config_.data), {});
    prolong_captions(model);
    const auto optimizer = make_optimizer(config_.optimizer, model.parameters());
    save_archive(checkpoint(), checkpoint_archive(config_, model, {},
                                                  {data_.dataset.name, data_.dataset.digest, ""},
                                                  *optimizer, {}));
  }

  std::filesystem::path checkpoint() const { return folder_ / "model.h5"; }
  const TempFolder& folder() const { return folder_; }
  ModelArgs model() const { return {.checkpoint = checkpoint().string()}; }
  // Writes validation scene number i as a file of this name.
  std::string picture(Index i, const std::string& name) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    const std::vector<Index> val = images_of(data_.dataset, Split::kVal);
    write_png(path, data_.image(val[static_cast<std::size_t>(i)]));
    return path.string();
  }

 private:
  TempFolder folder_{"commands"};
  ExperimentConfig config_;
  LoadedData data_;
};

}  // namespace saccade::test
