// `saccade inspect --occlusion`: whether a model's maps agree with what its words lose without each
// region, as a table and as JSON.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "captioning/model/inputs.h"
#include "captioning/study/inspection/map_agreement.h"
#include "core/base/table.h"

namespace saccade {

struct LoadedData;
class ModelSession;

struct OcclusionRequest {
  Occluded occluded = Occluded::kRegions;
  std::span<const Index> images{};  // of the data set
  std::function<void(Index done, Index total)> progress{};
};

// Captions the images in the model's own regime and removes every region or cell from each. Throws
// UsageError for a model without attention.
AgreementMeasure measure_agreement(const ModelSession& session, const LoadedData& data,
                                   const DatasetInputs& inputs, const OcclusionRequest& request);

// A row for each map: means over words.
Table table_of(const AgreementMeasure& measure);
// The same, and what the largest effect and chance reach.
std::string agreement_table(const AgreementMeasure& measure, Occluded occluded);
nlohmann::ordered_json agreement_json(const AgreementMeasure& measure, Occluded occluded);

}  // namespace saccade
