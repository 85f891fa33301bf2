// Captions of single photos for the live page, by every model in each of its regimes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/decoding/photo.h"
#include "experiments/report/report_model.h"
#include "experiments/serve/requested_search.h"

namespace saccade {

// Encodes a photo. A test counts how often it is called.
using EncodePhoto =
    std::function<std::unique_ptr<EncodedPhoto>(const ShownModel& model, const Source& source)>;
std::unique_ptr<EncodedPhoto> encode_photo(const ShownModel& model, const Source& source);

// The most decoding steps that the occlusion of one caption may take, where nothing else is said: a
// caption of 25 words on a grid of 20 x 20.
inline constexpr Index kOcclusionSteps = 10'000;

class LiveCaptions {
 public:
  // What the models point to must outlive this. Captions whose occlusion takes more than
  // `occlusion_steps` get none; 0: it cannot be requested.
  explicit LiveCaptions(std::vector<ShownModel> models, EncodePhoto encode = encode_photo,
                        Index occlusion_steps = kOcclusionSteps)
      : models_(std::move(models)), encode_(std::move(encode)), occlusion_steps_(occlusion_steps) {}

  // {"schema_version", "models": [what model_facts() returns, and "search": search_json(),
  // "features_alone": true where the model needs no picture], "max_upload", "search_limits",
  // "occlusion_steps"}.
  std::string models_json(Index max_upload) const;

  // Captions the photo in the bytes of an image file: {"schema_version", "captions": {model: the
  // caption in its first regime}, "models": [{"regimes": {name: what page_caption() returns},
  // "search", "no_occlusion": why a caption lacks the effects of regions that were requested}],
  // "seconds", "width", "height", "photo"}. The same bytes and the same search have the same
  // captions. `features` are the bytes of a file (.npy, .npz, .safetensors, .pth) with what the
  // models take in place of the photo: the features of another program, or of their own encoder. Of
  // the former no photo is needed; maps are then drawn on what stands for it (blank_picture()).
  // Throws DataError where the bytes are no image or no such features, and UsageError where a model
  // cannot be searched as requested.
  std::string caption_json(std::span<const std::uint8_t> bytes,
                           const RequestedSearch& requested = {},
                           std::span<const std::uint8_t> features = {}) const;

 private:
  void require_no_picture() const;

  std::vector<ShownModel> models_;
  EncodePhoto encode_;
  Index occlusion_steps_;
};

}  // namespace saccade
