// Pictures that put the arms of a comparison under each other: the same image, every model's words
// and maps, one scale.
#pragma once

#include <filesystem>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/evaluation/evaluate.h"
#include "captioning/inputs.h"
#include "vision/overlay.h"

namespace saccade {

class ComparisonSheets {
 public:
  // Takes `count` images, spread over those that are evaluated. Both must outlive this.
  ComparisonSheets(const LoadedData& data, std::vector<Index> evaluated, std::size_t count);

  // Adds an arm's first regime in `report`.
  void add(const std::string& title, const Captioner& model, const DatasetInputs& inputs,
           const AttentionConfig& attention, const EvaluationReport& report);

  // Writes NAME.png into a folder for every image that an arm said something about. Returns the
  // paths. Throws IoError.
  std::vector<std::filesystem::path> write(const std::filesystem::path& folder) const;

 private:
  const LoadedData* data_;
  std::vector<Index> images_;
  std::vector<std::vector<Overlay>> overlays_;  // of each image, one an arm
};

}  // namespace saccade
