// What tests of commands share: their standard output, and the run of a small untrained model.
#pragma once

#include "core/base/error.h"
#include "experiments/commands/model_session.h"
#include "tests/experiments/printed.h"
#include "tests/experiments/small_run.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {

constexpr int kOk = static_cast<int>(ExitCode::kOk);

// A small transformer whose encoder is one, too.
inline ExperimentConfig with_transformers() {
  ExperimentConfig config = small_transformer();
  config.encoder.type = "hybrid";
  config.encoder.vit = {.width = 12, .layers = 2, .heads = 2, .patch = 1};
  return config;
}

// A folder with a run, and pictures of the first validation scenes as PNG files.
class Fixture {
 public:
  explicit Fixture(const std::string& selection) : Fixture(test::small_experiment(selection)) {}
  explicit Fixture(const ExperimentConfig& config) : data_(load_data(config.data)) {
    write_small_run(checkpoint(), config);
  }

  std::filesystem::path checkpoint() const { return folder_ / "run"; }
  const TempFolder& folder() const { return folder_; }
  std::filesystem::path out() const { return folder_ / "out"; }
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
  LoadedData data_;
};

}  // namespace saccade::test
