// The flow of gradients to the regions as a table, as JSON and as pictures, for
// `saccade inspect --gradients` and the section of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "captioning/study/inspection/gradient_flow.h"
#include "core/base/grid_size.h"
#include "core/base/table.h"
#include "experiments/pictures/measure_pictures.h"

namespace saccade {

struct ExperimentConfig;

// Why a model has no such gradients; empty where it has them.
std::string without_gradient_paths(const CaptionModel& model, const ExperimentConfig& config);

// Both paths over all layers, and then through each layer and head where there are several.
Table table_of(const GradientFlow& flow);

// Both paths over all, and of each layer and head also the mean norms `by_word` and `by_region`
// (experiments/README.md); what is not known is null.
nlohmann::ordered_json flow_json(const GradientFlow& flow);

// gradients.direct.words, gradients.direct.regions, gradients.score.words and
// gradients.score.regions: the mean norms of every layer and head, at every word of a caption and
// at every region. Regions of a grid with several rows are drawn where they lie on the picture;
// those of a text, which are its tokens, in a row. The titles inside the pictures begin with the
// name of the model.
std::vector<MeasurePicture> gradient_pictures(const GradientFlow& flow, const std::string& model,
                                              const GridSize& grid);

}  // namespace saccade
