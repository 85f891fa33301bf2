// What a report measures inside its models (report --heads, --gradients, --words), by the functions
// of `saccade inspect`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "experiments/report/report_model.h"

namespace saccade {

// For heads and gradients, at most so many of the images that a report shows.
inline constexpr std::size_t kMeasuredImages = 8;

// Throws UsageError where nothing of the kind is in any model, or a model cannot tell the
// neighbours of a word. Nothing is computed for this.
void check_measures(const ReportRequest& request);
// Throws UsageError where no caption of the images has a word of the request.
void check_words_shown(const ReportRequest& request, std::span<const Index> images);

// {"images": how many, "heads": {"table", "correlations": correlations_json(), "left_out":
// [sentences], "pictures"}, "gradients": the keys of flow_json(), "table" and "pictures", or
// {"left_out": a reason}, "words": [neighbours_json()]}, where tables are those of to_json(), as
// far as the request has them. Heads and gradients are measured on kMeasuredImages of `images`,
// spread evenly, and words on all. "pictures" is [{"name", "title", "picture": a data address}].
nlohmann::ordered_json measured_json(const ReportRequest& request, const ShownModel& model,
                                     const DatasetInputs& inputs, std::span<const Index> images);

}  // namespace saccade
