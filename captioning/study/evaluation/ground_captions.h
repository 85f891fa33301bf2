// Where the boxes of a data set's nouns are, and whether a model attends to them while it is forced
// to decode the captions that people wrote.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/scoring/statistics/bootstrap.h"
#include "captioning/study/evaluation/grounding_scores.h"
#include "captioning/study/grounding/noun_boxes.h"

namespace saccade {

// Nouns with boxes: of scenes, which know their boxes, of photos, or of neither.
struct NounSource {
  const ScenesDataset* scenes = nullptr;
  const PhotoBoxes* photos = nullptr;

  explicit operator bool() const { return scenes || photos; }
  bool knows(Index image) const;
  std::string description() const;
  // The nouns among the words of a caption. The network saw the image in this geometry.
  std::vector<NamedObjects> nouns(Index image, std::span<const std::string> words,
                                  const Geometry& geometry) const;
};

// Whose maps are judged: those that the models have while they decode the references, or those that
// know the words (localizer_maps.h), of the first model's localizer.
enum class MapsOf { kModels, kLocalizer };

struct ReferenceRequest {
  std::span<const Index> images;  // those that `source` does not know are skipped
  NounSource source;
  SearchOptions search{};  // for its regime and seed
  MapsOf maps = MapsOf::kModels;
  DecodeProgress progress{};
};

struct ReferenceScores {
  GroundingScores scores;
  std::vector<ImageStatistics> metrics;          // of all images of the request
  std::vector<CentreDifference> against_centre;  // of the same
  // 95 %, by the bootstrap over all images of the request, of the measures that are headlines as
  // references_metric(); a sample of images has all nouns of each.
  std::vector<ScoreInterval> intervals;
};

// Scores the maps that the models have while they are forced to decode the references of the
// images. A caption of the result is a reference. The maps of an ensemble are those of
// Ensemble::shown.
ReferenceScores ground_references(const Ensemble& models, const Dataset& dataset,
                                  const EnsembleInputs& inputs, const ReferenceRequest& request);

}  // namespace saccade
