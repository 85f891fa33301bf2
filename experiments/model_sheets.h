// Pictures of where models attend on a few evaluated images: for each image the words and maps of
// every model under each other, with one scale.
#pragma once

#include <filesystem>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/evaluation/evaluate.h"
#include "captioning/inputs.h"
#include "vision/overlay.h"

namespace saccade {

class ModelSheets {
 public:
  // Takes `count` images, spread over those that are evaluated. Both must outlive this.
  ModelSheets(const LoadedData& data, std::vector<Index> evaluated, std::size_t count);

  // Adds a model's first regime in `report`.
  void add(const std::string& title, const Captioner& model, const DatasetInputs& inputs,
           const AttentionConfig& attention, const EvaluationReport& report);

  struct Sheet {
    std::string image;  // CaptionedImage::id
    Image picture;
  };
  // Of every image that a model said something about.
  std::vector<Sheet> draw(const OverlayOptions& options) const;
  // The same as files, NAME.png in a folder. Returns the paths. Throws IoError.
  std::vector<std::filesystem::path> write(const std::filesystem::path& folder) const;

 private:
  const LoadedData* data_;
  std::vector<Index> images_;
  std::vector<std::vector<Overlay>> overlays_;  // of each image, one a model
};

}  // namespace saccade
