// `saccade inspect --gradients`: the flow of gradients to the regions as tables, as JSON and as
// pictures.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "captioning/inspection/gradient_flow.h"

namespace saccade {

// Both paths over all layers, and then through each layer and head where there are several.
std::string flow_table(const GradientFlow& flow);

// {"regime", "captions", "words", "pairs", "layers", "direct": {"correlation", "within_words",
// "flat_words", "mean_norm"}, "score": the same, "heads": [{"layer", "head": null for all heads of
// the layer, "direct", "score": the same with "by_word", "by_region": the mean norms at word t and
// at region l}]}; what is not known is null.
nlohmann::ordered_json flow_json(const GradientFlow& flow);

// Writes gradients.direct.words, gradients.direct.regions, gradients.score.words and
// gradients.score.regions: the mean norms of every layer and head, at every word of a caption and
// at every region of the grid, whose rows have `columns` regions. PNG and, where they are not too
// large, SVG. Returns the paths. Throws IoError.
std::vector<std::filesystem::path> write_gradient_pictures(const GradientFlow& flow,
                                                           const std::string& title, Index columns,
                                                           const std::filesystem::path& folder);

}  // namespace saccade
