// The images of a split on which a model does worst, for a report that shows these instead of
// images that are spread over the split.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/report_model.h"

namespace saccade {

// The names of the measures by which images can be chosen: the metrics of captions that are
// measured for each image; "pointing", the share of the nouns whose map is on the object (the
// lowest first); and "entropy", the mean entropy of the maps (the highest first).
std::vector<std::string> worst_measures();
// The same in a line, with ", " between them.
std::string worst_measure_names();

// Captions `images` (of the request's data set, in order) with the request's first model, in its
// own regime, and returns at most `most` of them, the worst first. Images for which the measure has
// no value, such as "pointing" where no noun has boxes, are left out. Throws UsageError for an
// unknown measure, and for one that the model or the data set lacks; and what DatasetInputs throws.
std::vector<Index> worst_images(const ReportRequest& request, const std::string& measure,
                                std::vector<Index> images, std::size_t most);

}  // namespace saccade
