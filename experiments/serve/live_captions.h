// Captions of single photos for the live page, by every model in each of its regimes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/report/report_model.h"

namespace saccade {

class LiveCaptions {
 public:
  // What the models point to must outlive this.
  explicit LiveCaptions(std::vector<ReportModel> models) : models_(std::move(models)) {}

  // {"schema_version", "models": [what model_facts() returns], "colours", "max_upload"}.
  std::string models_json(Index max_upload) const;

  // Captions the photo in the bytes of an image file: {"schema_version", "captions": {model: the
  // caption in its first regime}, "models": [{"regimes": {name: what page_caption() returns}}],
  // "seconds", "width", "height", "photo"}. The same bytes have the same captions. Throws DataError
  // where they are no image.
  std::string caption_json(std::span<const std::uint8_t> bytes) const;

 private:
  std::vector<ReportModel> models_;
};

}  // namespace saccade
