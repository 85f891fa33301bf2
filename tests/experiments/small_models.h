// Loads the models of run directories in the form that pages take.
#pragma once

#include <deque>

#include "captioning/learning/runs/open_model.h"
#include "captioning/learning/runs/run_directory.h"
#include "experiments/report/report_model.h"

namespace saccade::test {

class SmallModels {
 public:
  explicit SmallModels(const std::vector<std::filesystem::path>& runs) {
    for (const std::filesystem::path& run : runs) {
      const LoadedModel& model = loaded_.emplace_back(open_model(resolve_checkpoint(run)));
      models_.push_back({.name = run.filename().string(), .directory = run, .loaded = &model});
    }
  }
  const std::vector<ShownModel>& models() const { return models_; }

 private:
  std::deque<LoadedModel> loaded_;
  std::vector<ShownModel> models_;
};

}  // namespace saccade::test
