// The captions that the models of a report have for its images, in every regime with words, maps
// and scores.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "captioning/evaluation/ground_captions.h"
#include "experiments/report/report_model.h"

namespace saccade {

// The boxes that a page knows: those of scenes, or of photos.
NounSource nouns_of(const ReportRequest& request);

// Captions by the search of each model's config.
class ReportCaptions {
 public:
  // Decodes `images` (into the data set of the request, in order) with every model. The request
  // must outlive this. Throws what DatasetInputs throws.
  ReportCaptions(const ReportRequest& request, std::vector<Index> images);
  ~ReportCaptions();
  ReportCaptions(const ReportCaptions&) = delete;
  ReportCaptions& operator=(const ReportCaptions&) = delete;

  // The images that every model could read, in order.
  const std::vector<Index>& images() const;

  // What model_facts() returns with "health": {regime: {measure: value}} and "dead": why the
  // attention of its first regime looks dead (dead_attention.h), where it does.
  nlohmann::ordered_json model_json(std::size_t model) const;

  // The captions of a model for images()[i]: {"seen": [x, y, width, height] of the grid as shares
  // of the photo, "regimes": {name: what decoded_json() returns with "scores", "verdict", "nouns":
  // [{"word", "boxes", "hit", "centre"}]}}. What a model or a data set does not have is left out.
  nlohmann::ordered_json caption_json(std::size_t model, std::size_t i) const;

  // Empty, or why a part of the maps is not there.
  std::string left_out() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
