// Loads the models of run directories in the form that pages take.
#pragma once

#include <deque>

#include "captioning/learning/runs/run_directory.h"
#include "experiments/report/report_model.h"

namespace saccade::test {

class SmallModels {
 public:
  explicit SmallModels(const std::vector<std::filesystem::path>& runs) {
    for (const std::filesystem::path& run : runs) {
      const LoadedModel& model = loaded_.emplace_back(load_model(resolve_checkpoint(run)));
      const InputPipeline& pipeline = pipelines_.emplace_back(model.config.encoder);
      models_.push_back({.name = run.filename().string(),
                         .checkpoint = resolve_checkpoint(run),
                         .directory = run,
                         .loaded = &model,
                         .pipeline = &pipeline});
    }
  }
  const std::vector<ReportModel>& models() const { return models_; }

 private:
  std::deque<LoadedModel> loaded_;
  std::deque<InputPipeline> pipelines_;
  std::vector<ReportModel> models_;
};

}  // namespace saccade::test
