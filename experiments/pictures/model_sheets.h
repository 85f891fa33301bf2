// Sheets of attention maps of a few evaluated images: for each image the words and maps of all
// models, one strip below the other, with one scale.
#pragma once

#include <filesystem>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/model/inputs.h"
#include "captioning/study/evaluation/evaluate.h"
#include "vision/drawing/overlay.h"

namespace saccade {

class ModelSheets {
 public:
  // Takes `count` images, spread evenly over the evaluated ones. `data` must outlive this object.
  ModelSheets(const LoadedData& data, std::vector<Index> evaluated, std::size_t count);

  // Adds a strip per image: a model's captions in the first regime of `report`.
  void add(const std::string& title, const CaptionModel& model, const DatasetInputs& inputs,
           const EvaluationReport& report);

  struct Sheet {
    std::string image;  // CaptionedImage::id
    Image picture;
  };
  // One sheet for every image for which a model has a caption with words.
  std::vector<Sheet> draw(const OverlayOptions& options) const;
  // Writes the sheets as NAME.png into a folder and returns the paths. Throws IoError.
  std::vector<std::filesystem::path> write(const std::filesystem::path& folder) const;

 private:
  const LoadedData* data_;
  std::vector<Index> images_;
  std::vector<std::vector<Overlay>> overlays_;  // [images][models]
};

}  // namespace saccade
