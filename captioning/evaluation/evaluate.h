// Free-running scores of a captioner: captions decoded without the references, then
// compared with them, and with the facts where the data set has facts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "captioning/evaluation/baselines.h"
#include "captioning/evaluation/dead_attention.h"
#include "captioning/evaluation/decode_images.h"
#include "captioning/evaluation/ground_captions.h"
#include "captioning/evaluation/perplexity.h"
#include "captioning/evaluation/sample_scores.h"
#include "captioning/scoring/caption_scores.h"

namespace saccade {

enum class Extent {
  kCaptions,  // scores of captions only: validation of a training run
  kCompared,  // also grounding of the references, where boxes exist
  kFull,      // perplexity, novel_captions and attention health too
};

struct EvaluationRequest {
  Split split = Split::kVal;
  Index most_images = 0;  // the first so many of the split; 0 for all
  SearchOptions search{};
  std::vector<Regime> regimes{};  // at least one; search.regime is ignored
  Index region_draws = 1;  // times that regime `sample` captions all images, each with other draws
  Extent extent = Extent::kFull;
  Index samples = 0;       // captions drawn of each image to measure diversity, at least 2; or 0
  bool baselines = false;  // inputs must then hold the training images too
  bool ablations = true;   // of a full report of a model with attention: two passes more
  const PhotoBoxes* boxes =
      nullptr;                // of the data set's photos; none for scenes, which have theirs
  DecodeProgress progress{};  // over images, once for each thing that is measured
};

// Scores of one regime, in the order they are reported:
//   those of score_captions and caption_statistics (scoring/caption_scores.h)
//   finished         share of captions that ended by themselves before search.max_length
//   novel_captions   share of captions that equal no training caption (novelty.h); in a full report
//                    of a data set that has training captions
// and of scenes true_caption_rate, parsed_rate (scene_scores.h has the rule); and where boxes exist
// those of GroundingScores::corpus(), none of them for a model without attention.
struct RegimeReport {
  Regime regime = Regime::kExpectation;
  NamedScores corpus;  // regime sample: the mean over its draws, of what all of them have
  // Those of the corpus' scores that can be resampled, image by image, of the first draw.
  std::vector<ImageStatistics> metrics;
  NamedScores deviations;  // standard deviation over several draws of all images; else empty
  Index draws = 1;
  std::vector<DecodedCaption> captions;         // one per image, of the first draw
  std::vector<std::vector<std::string>> words;  // of the captions
  std::optional<GroundingScores> grounding;     // of the first draw, where boxes exist
};

// Where a data set has boxes.
struct GroundingReport {
  std::string boxes;  // where they come from
  Index images = 0;   // how many of the images have some
  // The scores of the references' words, for a model with attention in its first regime, unless the
  // extent is captions alone.
  std::optional<ReferenceScores> references;
  // The same for the maps that know the words, where the model has such: those of its localizer and
  // of its informed attention.
  struct InformedGrounding {
    std::string by;  // localizer, prophet or cyclical
    ReferenceScores references;
  };
  std::vector<InformedGrounding> informed;
};

struct EvaluationReport {
  std::string dataset;
  std::vector<std::string> members;  // of an ensemble; empty for a model by itself
  Split split = Split::kVal;
  std::vector<Index> images;          // what was scored, into Dataset::images
  std::vector<std::int64_t> numbers;  // CaptionedImage::number of each
  Index left_out = 0;                 // images that could not be read
  SearchOptions search;
  bool pieces = false;        // what search counts are pieces of words
  std::string meteor_tables;  // which synonyms METEOR used
  std::vector<RegimeReport> regimes;
  std::optional<GroundingReport> grounding;
  std::optional<Perplexity> perplexity;  // in a full report
  // Of the first regime (its first draw), in a full report of a model with attention.
  std::optional<AttentionReport> attention;
  std::optional<SampleScores> samples;  // where the request has some
  std::vector<Baseline> baselines;      // where the request has them
};

// The first images of a split, at most `most` (0 for all). Throws DataError when the split is
// empty.
std::vector<Index> evaluation_images(const Dataset& dataset, Split split, Index most);

// Captions and scores the images of a request; inputs must hold them. Samples are drawn in the
// regime that draws regions too where it is among the request's, else in its first one: then they
// come from the distribution that the model was trained to have. An ensemble is judged by the maps
// of its shown members (ensemble.h), and its baselines' neighbours are those of its first member.
// Throws DataError when no image is left, ShapeError when the request has no regime or one sample,
// or boxes for scenes.
EvaluationReport evaluate(const Ensemble& models, const LoadedData& data,
                          const EnsembleInputs& inputs, const EvaluationRequest& request);

// The scores of the first regime, for a training run's validation.
std::map<std::string, double> first_scores(const EvaluationReport& report);

}  // namespace saccade
