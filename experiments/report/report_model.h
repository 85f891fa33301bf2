// The content of a report: the models to show side by side, and the images of a data set.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/model/inputs.h"
#include "captioning/study/grounding/noun_boxes.h"

namespace saccade {

// A model that is shown on a page.
struct ShownModel {
  std::string name;                   // its own, or of the arm or run; no two models have the same
  std::string checkpoint{};           // the path as commands take it
  std::filesystem::path directory{};  // of its run; empty where only a checkpoint is known
  std::vector<std::pair<std::string, std::filesystem::path>> seeds{};  // names and directories
  std::optional<Index> seed{};  // of an arm of which all seeds are shown, its seed; else none
  const LoadedModel* loaded = nullptr;  // null until it is opened; must outlive the page
};

// A run whose learning curve is drawn: that of a model, or another seed of its arm.
struct ReportRun {
  std::size_t model = 0;  // index into ReportRequest::models
  std::string name;       // "hard, seed 2"
  std::filesystem::path directory;
};

// What is measured inside the models, each for a section of its own.
struct ReportMeasures {
  bool heads = false;                // what every attention head does
  bool gradients = false;            // which gradient reaches the regions
  std::vector<std::string> words{};  // of which the neighbours are shown

  bool any() const { return heads || gradients || !words.empty(); }
};

struct ReportRequest {
  std::string title;
  std::vector<ShownModel> models;     // at least one
  std::vector<ReportRun> runs;        // in the order of the legend
  std::filesystem::path comparison;   // compare.json; empty where there is none
  const LoadedData* data = nullptr;   // its images are shown
  const PhotoBoxes* boxes = nullptr;  // of its photos; null where there are none
  Split split = Split::kTest;
  Index images = 0;     // at most so many, spread evenly over the split
  std::string worst{};  // if not empty, those that are worst by this (worst_images.h) instead
  bool score_all_texts = false;  // whether groups are of all texts of the split; not of pictures
  bool occlusion = false;  // whether captions of a model's first regime have effects of regions
  bool self_attention = false;  // whether they have the maps of regions and words among themselves
  ReportMeasures measures{};
  std::vector<std::string> remarks;  // what a reader should know, one sentence each
  // Called with what is being done, "soft: captioning 50 images", and the share of it that is done.
  std::function<void(double done, const std::string& what)> progress;
};

}  // namespace saccade
