// Scores to compare those of a model with, on the same images: of captions from the most similar
// training images (the floor), and of people's captions (the ceiling).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/model/inputs.h"
#include "captioning/model/model.h"
#include "captioning/scoring/scores/caption_scores.h"

namespace saccade {

struct Baseline {
  std::string name;
  NamedScores scores;  // those of score_captions
};

inline constexpr Index kConsensusNeighbours = 12;

// In this order:
//   nearest    the first caption of the nearest training image (nearest_images.h), and of equally
//              near images the first
//   consensus  of all captions of the kConsensusNeighbours nearest images, the one that they agree
//              on most (consensus.h)
//   human      each reference against the others of its image, mean over rounds (scoring/human.h)
// An image is not a neighbour of itself. The first two are left out where there are fewer than two
// training images, and `human` where no image has two references. inputs must hold these images and
// those of the training split.
std::vector<Baseline> score_baselines(const CaptionModel& model, const Dataset& dataset,
                                      const DatasetInputs& inputs, std::span<const Index> images,
                                      const ScoringOptions& options);

// The images to read: those to be captioned and, for baselines, the training images from whose
// neighbours captions are taken.
std::vector<Index> images_to_read(const Dataset& dataset, std::vector<Index> images,
                                  bool baselines);

}  // namespace saccade
