// The images on which a model does worst by a measure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "captioning/model/open_model.h"
#include "captioning/model/search/search.h"
#include "captioning/study/evaluation/ground_captions.h"

namespace saccade {

// The names of the measures by which images can be chosen: the metrics of captions that are
// measured for each image; kWorstPointing, the share of the nouns whose map is on the object (the
// lowest first); and kWorstEntropy, the mean entropy of the maps (the highest first).
std::vector<std::string> worst_measures();
inline constexpr const char* kWorstPointing = "pointing";
inline constexpr const char* kWorstEntropy = "entropy";

struct WorstRequest {
  std::string measure;  // of worst_measures(); the last two need a model with attention
  std::size_t most = 0;
  SearchOptions search{};  // of the captions
  NounSource nouns{};      // for kWorstPointing
  // Called with "reading" and "captioning", and the share of it that is done.
  std::function<void(const char* what, double done)> progress{};
};

// Captions `images` of the data set, in order, and returns at most `most` of them, the worst first.
// Images for which the measure has no value, such as pointing where no noun has boxes, are left
// out. Throws what DatasetInputs throws.
std::vector<Index> worst_images(const OpenModel& model, const EncoderConfig& encoder,
                                const LoadedData& data, std::vector<Index> images,
                                const WorstRequest& request);

}  // namespace saccade
