// Scores of several captions that a model draws for each image: how much they differ, and how good
// the best of them is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/scoring/scores/caption_scores.h"

namespace saccade {

// In this order, all over PTB words as in score_captions:
//   Div_1, Div_2  different 1- and 2-grams / words of an image's set, mean over images
//   mBLEU_4       BLEU-4 of each caption against the others of its set
//   self_CIDEr    diversity of each set, mean over images (these three: metrics/diversity.h)
//   best_CIDEr    CIDEr-D of each image's best caption, mean over images; the best one is chosen by
//                 the references, as an oracle would
//   mean_CIDEr    CIDEr-D of all captions, mean
// Document frequencies are those of the references. sets[i] are the captions of image i: the same
// number for every image, at least 2. Throws DataError where score_captions does, and ShapeError
// for uneven sets.
NamedScores score_sets(std::span<const std::vector<std::string>> sets,
                       std::span<const std::vector<std::string>> references);

struct SampleScores {
  SearchOptions search;  // how captions were drawn
  NamedScores scores;
};

// Draws search.samples captions for each image (at least 2; search.mode is ignored) and scores them
// against the image's references.
SampleScores score_samples(const Ensemble& models, const EnsembleInputs& inputs,
                           std::span<const Index> images,
                           std::span<const std::vector<std::string>> references,
                           SearchOptions search, const DecodeProgress& progress);

}  // namespace saccade
