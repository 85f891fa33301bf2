// Free-running scores of a captioner: captions decoded without looking at the references, then
// compared with them, and with the facts where the data set has facts.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "captioning/evaluation/decode_images.h"
#include "captioning/inputs.h"
#include "captioning/model.h"

namespace saccade {

struct EvaluationRequest {
  Split split = Split::kVal;
  Index most_images = 0;  // the first so many of the split; 0 for all
  SearchOptions search{};
  std::vector<Regime> regimes{};  // at least one; search.regime is ignored
  DecodeProgress progress{};      // over the images of all regimes
};

// Scores of one regime, in the order they are reported:
//   those of score_captions and caption_statistics (scoring/caption_scores.h)
//   finished         share of captions that ended by themselves before search.max_length
// and where boxes and facts exist (scene_scores.h has the rules)
//   true_caption_rate, parsed_rate
//   pointing_accuracy, pointing_centre_accuracy, pointing_chance, pointing_nouns (how many; the
//   others are 0 without any), and pointing_chosen_accuracy where regions are sampled; none of them
//   for a model without attention.
using NamedScores = std::vector<std::pair<std::string, double>>;

struct RegimeReport {
  Regime regime = Regime::kExpectation;
  NamedScores corpus;
  std::vector<DecodedCaption> captions;         // one an image
  std::vector<std::vector<std::string>> words;  // of the captions
};

struct EvaluationReport {
  std::string dataset;
  Split split = Split::kVal;
  std::vector<Index> images;          // what was scored, into Dataset::images
  std::vector<std::int64_t> numbers;  // CaptionedImage::number of each
  Index left_out = 0;                 // images that could not be read
  SearchOptions search;
  std::string meteor_tables;  // which synonyms METEOR used
  std::vector<RegimeReport> regimes;
};

// The first images of a split, at most `most` (0 for all). Throws DataError when the split is
// empty.
std::vector<Index> evaluation_images(const Dataset& dataset, Split split, Index most);

// Captions and scores the images of a request; inputs must hold them. Throws DataError when no
// image is left.
EvaluationReport evaluate(const Captioner& model, const LoadedData& data,
                          const DatasetInputs& inputs, const EvaluationRequest& request);

// The scores of the first regime, for a training run's validation.
std::map<std::string, double> first_scores(const EvaluationReport& report);

}  // namespace saccade
