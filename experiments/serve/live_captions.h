// Captions of single photos for the live page, by every model in each of its regimes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "captioning/decoding/ensemble.h"
#include "experiments/report/report_model.h"
#include "experiments/serve/requested_search.h"

namespace saccade {

// A photo as a model encodes it, which is the larger part of the work; captions in any number of
// regimes then come from this one encoding. The model must outlive it.
class EncodedPhoto {
 public:
  EncodedPhoto(const ReportModel& model, const Image& picture);

  const Geometry& geometry() const { return geometry_; }
  DecodedCaption caption(const SearchOptions& search) const;

 private:
  Ensemble alone_;
  InputBatch input_;
  Geometry geometry_;
  EncodedPictures pictures_;
};

// Encodes a photo. A test counts how often it is called.
using EncodePhoto =
    std::function<std::unique_ptr<EncodedPhoto>(const ReportModel& model, const Image& picture)>;
std::unique_ptr<EncodedPhoto> encode_photo(const ReportModel& model, const Image& picture);

class LiveCaptions {
 public:
  // What the models point to must outlive this.
  explicit LiveCaptions(std::vector<ReportModel> models, EncodePhoto encode = encode_photo)
      : models_(std::move(models)), encode_(std::move(encode)) {}

  // {"schema_version", "models": [what model_facts() returns, and "search": search_json()],
  // "colours", "max_upload", "search_limits"}.
  std::string models_json(Index max_upload) const;

  // Captions the photo in the bytes of an image file: {"schema_version", "captions": {model: the
  // caption in its first regime}, "models": [{"regimes": {name: what page_caption() returns},
  // "search"}], "seconds", "width", "height", "photo"}. The same bytes and the same search have the
  // same captions. Throws DataError where the bytes are no image, and UsageError where a model
  // cannot be searched as requested.
  std::string caption_json(std::span<const std::uint8_t> bytes,
                           const RequestedSearch& requested = {}) const;

 private:
  std::vector<ReportModel> models_;
  EncodePhoto encode_;
};

}  // namespace saccade
