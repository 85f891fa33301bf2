// Features of photos as a model's encoder gives them, for other programs. In the files that hold
// them, `encoder.type features` reads them, and so does the model itself (of_features() in
// open_model.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "captioning/model/input_batch.h"
#include "captioning/model/open_model.h"
#include "core/base/region_places.h"

namespace saccade {

struct EncoderFeatures {
  // [rows, columns, D]: the cells of the grid, without those that show nothing but padding. Of
  // regions that are no cells [regions, D].
  std::vector<Index> shape{};
  std::vector<float> values{};
  std::vector<RegionBox> boxes{};  // [regions], where they are known; none of cells
  std::vector<float> times{};      // [frames] in seconds; none of regions without a time
  std::vector<float> pooled{};     // [D] of the photo as a whole; none: the encoder gives none
};

// Of a photo's input, and how it and the photo correspond. The model is a trained one where its
// encoder is not frozen.
EncoderFeatures encoder_features(const OpenModel& model, const InputView& input,
                                 const Geometry& geometry);

// Throws UsageError where a model's encoder reads texts, or has regions without a place, so that
// files of features cannot hold what it gives.
void check_encoder_features(const OpenModel& model, const EncoderConfig& encoder);

// Writes FOLDER/NAME.npy, and NAME.npy in the folders of boxes, of times and of pooled vectors
// inside where there are any. Throws IoError.
void write_features(const std::filesystem::path& folder, const std::string& name,
                    const EncoderFeatures& features);

}  // namespace saccade
