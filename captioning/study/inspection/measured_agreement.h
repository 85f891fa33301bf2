// Measures whether a model's maps agree with what its words lose without each region, as a table
// and as JSON.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "captioning/data/load_data.h"
#include "captioning/model/open_model.h"
#include "captioning/model/search/search.h"
#include "captioning/study/inspection/map_agreement.h"
#include "core/base/table.h"

namespace saccade {

struct OcclusionRequest {
  Occluded occluded = Occluded::kRegions;
  SearchOptions search{};           // of the captions; samples and recording are ignored
  bool rollout = false;             // whether the model's maps can be carried back to the picture
  std::span<const Index> images{};  // of the data set
  std::function<void(Index done, Index total)> progress{};
};

// Captions the images and removes every region or cell from each. The model has attention, of which
// `attention` is the config.
AgreementMeasure measure_agreement(const OpenModel& model, const AttentionConfig& attention,
                                   const LoadedData& data, const DatasetInputs& inputs,
                                   const OcclusionRequest& request);

// A row for each map: means over words.
Table table_of(const AgreementMeasure& measure);
// The same, and what the largest effect and chance reach.
std::string agreement_table(const AgreementMeasure& measure, Occluded occluded);
nlohmann::ordered_json agreement_json(const AgreementMeasure& measure, Occluded occluded);

}  // namespace saccade
