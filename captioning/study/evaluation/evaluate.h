// Scores of a captioner: captions are decoded without the references, and then compared with them,
// and with the facts where the data set has facts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "captioning/model/decoding/decode_images.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/scores/caption_scores.h"
#include "captioning/scoring/statistics/bootstrap.h"
#include "captioning/study/evaluation/baselines.h"
#include "captioning/study/evaluation/dead_attention.h"
#include "captioning/study/evaluation/ground_captions.h"
#include "captioning/study/evaluation/perplexity.h"
#include "captioning/study/evaluation/sample_scores.h"
#include "captioning/study/evaluation/score_groups.h"
#include "captioning/study/evaluation/sequence_scores.h"

namespace saccade {

enum class Extent {
  kCaptions,  // only scores of captions, as in validation of a training run
  kCompared,  // also grounding of the references, where there are boxes
  kFull,      // also perplexity, novel_captions and attention health
};

struct EvaluationRequest {
  std::optional<Split> split = Split::kVal;  // nothing: all images
  Index most_images = 0;  // the first images of the split, at most this many; 0: all
  SearchOptions search{};
  std::vector<Regime> regimes{};  // at least one; search.regime is ignored
  Index region_draws = 1;         // how often regime `sample` captions all images, with new draws
  Extent extent = Extent::kFull;
  Index samples = 0;       // captions to draw per image to measure diversity: at least 2, or 0
  bool baselines = false;  // needs inputs that hold the training images, too
  bool ablations = true;   // in a full report of a model with attention: two more passes
  const PhotoBoxes* boxes =
      nullptr;                // of the data set's photos; none for scenes, which have theirs
  MeteorOptions meteor{};     // its tables
  DecodeProgress progress{};  // over images, once for everything that is measured
};

// The scores of one of several joined data sets, as if it were evaluated alone: its captions are
// compared with its own references, and frequencies of words are those of its own references.
struct SetScores {
  std::string name;
  Index images = 0;
  NamedScores corpus;                    // as RegimeReport::corpus, without novel_captions
  std::vector<ScoreInterval> intervals;  // as RegimeReport::intervals
  std::vector<ScoreMark> marks;          // as RegimeReport::marks
  NamedScores references;  // in the first regime: the measures of maps for the references' words
};

// The scores of one regime, in the order of the report:
//   those of score_captions and caption_statistics (scoring/caption_scores.h)
//   finished         share of captions that ended by themselves before search.max_length
//   novel_captions   share of captions that equal no training caption (novelty.h); in a full report
//                    of a data set that has training captions
// Scenes also have true_caption_rate and parsed_rate (scene_scores.h has the rule), and texts those
// of sequence_scores.h. Where there are boxes, and for a model with attention, there are those of
// GroundingScores::corpus().
struct RegimeReport {
  Regime regime = Regime::kExpectation;
  NamedScores corpus;  // regime sample: the mean over its draws, of the scores that all have
  // Image by image, the scores of the corpus that can be resampled, of the first draw.
  std::vector<ImageStatistics> metrics;
  // 95 % bootstrap intervals of the headline metrics, in a full report with one draw.
  std::vector<ScoreInterval> intervals;
  std::vector<SetScores>
      sets;  // of joined data sets, in their order, of the first draw; else empty
  std::vector<ScoreMark> marks;  // on scores that can say little, of the first draw; not of texts
  NamedScores deviations;        // standard deviation over several draws of all images; else empty
  Index draws = 1;
  std::vector<DecodedCaption> captions;          // one per image, of the first draw
  std::vector<std::vector<std::string>> words;   // of the captions
  std::optional<GroundingScores> grounding;      // of the first draw, where boxes exist
  std::vector<CentreDifference> against_centre;  // of the same, in a full report
  std::vector<ScoreGrouping> groups;             // of the first draw, in a full report
  std::vector<LengthScores> by_length;           // of the first draw, where images are texts
};

// Grounding, for a data set with boxes.
struct GroundingReport {
  std::string boxes;  // where the boxes come from
  Index images = 0;   // how many of the images have boxes
  // The scores for the words of the references, for a model with attention in its first regime. Not
  // for the extent kCaptions.
  std::optional<ReferenceScores> references;
  // The same scores for the maps of the model's localizer, which knows the words, if it has one.
  std::optional<ReferenceScores> localizer;
};

// A report of a model that does without some of its attention heads.
struct RemovedHeads {
  std::vector<std::string> names;  // inspection/model_heads.h
  NamedScores whole;               // of the model with all heads, in the first regime: of the
                                   // captions and their maps, and the perplexity
};

struct EvaluationReport {
  std::string dataset;
  std::vector<std::string> members;  // the members of an ensemble; empty for a model by itself
  std::optional<Split> split = Split::kVal;  // nothing: all images
  bool texts = false;                        // whether the images are texts
  std::vector<Index> images;                 // the scored images, into Dataset::images
  // Of each, CaptionedImage::number and, where numbers are places, its id, else ""; in joined data
  // sets those that its own set has.
  std::vector<std::int64_t> numbers;
  std::vector<std::string> names;
  std::vector<DatasetPart> parts;  // of joined data sets: those with images, as places in `images`
  Index left_out = 0;              // how many images could not be read
  SearchOptions search;
  bool pieces = false;        // whether search counts pieces of words
  std::string meteor_tables;  // Meteor::tables()
  std::vector<RegimeReport> regimes;
  std::optional<GroundingReport> grounding;
  std::optional<Perplexity> perplexity;  // in a full report
  // Of the first regime (of its first draw), in a full report of a model with attention.
  std::optional<AttentionReport> attention;
  std::optional<SampleScores> samples;  // where the request asks for samples
  std::vector<Baseline> baselines;      // where the request asks for them
  std::optional<RemovedHeads> without;  // evaluate() sets none: who removes heads knows them
};

// The first images of a split, or of the whole data set where no split is given, at most `most` (0:
// all); of joined sets the first of each, in proportion and at least one. Throws DataError when
// there is none.
std::vector<Index> evaluation_images(const Dataset& dataset, std::optional<Split> split,
                                     Index most);

// "train", "val" or "test", and "all" for no split.
std::string_view evaluated_name(std::optional<Split> split);

// Captions and scores the images of a request; inputs must hold them. Samples are drawn in the
// regime that draws regions, too, if the request has it, because they then come from the
// distribution that the model was trained to have; otherwise they are drawn in its first regime. An
// ensemble is judged by the maps of its shown members (ensemble.h), and the neighbours of its
// baselines are those of its first member. Throws DataError when no image is left, and ShapeError
// for a request without a regime, with one sample, or with boxes for scenes.
EvaluationReport evaluate(const Ensemble& models, const LoadedData& data,
                          const EnsembleInputs& inputs, const EvaluationRequest& request);

// RemovedHeads::whole: the scores of a model in the request's first regime before it loses heads.
NamedScores scores_of_whole(const Ensemble& models, const LoadedData& data,
                            const EnsembleInputs& inputs, const EvaluationRequest& request);

// The scores of the first regime, for the validation of a training run; those of joined data sets,
// as "coco/CIDEr", beside those of all images.
std::map<std::string, double> first_scores(const EvaluationReport& report);

}  // namespace saccade
