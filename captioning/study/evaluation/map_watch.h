// What a validation learns about a model's maps beside the scores of its captions: whether they are
// useful, whether captions need them, and whether they lie on what nouns name.
#pragma once

#include <optional>

#include "captioning/study/evaluation/evaluate.h"

namespace saccade {

struct MapWatchRequest {
  // How many images, from the first on, are captioned again with shuffled maps, and how many of
  // those that have boxes, from the first on, are used for forced decoding of their references. 0:
  // none.
  Index images = 0;
  SearchOptions search{};             // the search of the report's first regime
  const PhotoBoxes* boxes = nullptr;  // of photos; scenes have theirs
  DecodeProgress progress{};          // over images, once for each of the two passes
};

struct MapWatch {
  // Health of all captions of the report; `own` and the shuffled scores are of `images` images.
  AttentionReport attention;
  Index images = 0;
  std::optional<GroundingScores> references;  // of `grounded` images, where boxes are known
  Index grounded = 0;

  // The measures of attention health, what CIDEr loses by shuffled maps, and the grounding of the
  // references' words, as far as the registry says that validations measure them
  // (metric_registry.h). Those that are not known are left out.
  NamedScores scores() const;
};

// The names that MapWatch::scores() may have for such a request.
std::vector<std::string> watched_names(const MapWatchRequest& request, const NounSource& source);

// Watches the captions of a report in its first regime. The models must have attention.
MapWatch watch_maps(const Ensemble& models, const LoadedData& data, const EnsembleInputs& inputs,
                    const EvaluationReport& report, const MapWatchRequest& request);

}  // namespace saccade
