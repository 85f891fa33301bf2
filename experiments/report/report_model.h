// What a report is about: models side by side, and the images of a data set.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/grounding/noun_boxes.h"
#include "captioning/inputs.h"
#include "captioning/training/checkpoint_content.h"

namespace saccade {

// A model that is shown, with what its run left on disk.
struct ReportModel {
  std::string name;                     // an arm's or a run's
  std::filesystem::path checkpoint;     // where it was read from
  std::filesystem::path directory;      // of its run; empty where only a checkpoint is known
  const LoadedModel* loaded = nullptr;  // both must outlive the report
  const InputPipeline* pipeline = nullptr;
};

// A run whose learning curve is drawn: a model's own, or another seed of its arm.
struct ReportRun {
  std::size_t model = 0;  // into ReportRequest::models
  std::string name;       // "hard, seed 2"
  std::filesystem::path directory;
};

struct ReportRequest {
  std::string title;
  std::vector<ReportModel> models;    // at least one
  std::vector<ReportRun> runs;        // in the order of the legend
  std::filesystem::path comparison;   // compare.json; empty where there is none
  const LoadedData* data = nullptr;   // whose images are shown
  const PhotoBoxes* boxes = nullptr;  // of the data's photos, where there are some
  Split split = Split::kTest;
  Index images = 0;                           // at most, spread over the split
  std::vector<std::string> remarks;           // what a reader should know, a sentence each
  std::function<void(double done)> progress;  // told the share that is done
};

}  // namespace saccade
