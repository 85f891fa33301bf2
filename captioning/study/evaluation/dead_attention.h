// Whether a model's captions need its map: their scores with the map, and with another map in its
// place.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/model/search/search.h"
#include "captioning/scoring/statistics/resampling.h"
#include "captioning/study/evaluation/attention_health.h"

namespace saccade {

// Fewer images than these say nothing about a model's attention: their means rise and fall by
// chance, and intervals over them are too narrow.
constexpr Index kFewestJudgedImages = 30;

// What other weights cost: 1 - score with them / score with the model's own, of true_caption_rate
// where the model's own is above 0, else of CIDEr, with the 95 % bootstrap interval over the images
// of both. NaN where the model's own score is 0, which cannot fall.
struct MapLoss {
  std::string metric;
  double loss = 0;
  Interval interval;
};

// The loss from the statistics of the same images with the model's own weights and with others.
// Throws DataError where there is no image, or where the two are not of the same metrics.
MapLoss map_loss(std::span<const ImageStatistics> own, std::span<const ImageStatistics> other);

// The scores of the same model on the same images, with other weights.
struct AblatedScores {
  Ablation ablation = Ablation::kUniform;
  NamedScores scores;  // those that judging_scores() selects
  MapLoss loss;
};

struct AttentionReport {
  Regime regime = Regime::kExpectation;
  AttentionHealth health;
  Index images = 0;                      // of the scores
  NamedScores own;                       // with the model's own weights, selected likewise
  std::vector<AblatedScores> ablations;  // empty where they were not requested
};

// The scores that a map is judged by, out of all: CIDEr, Bleu_4 and, where it is known,
// true_caption_rate.
NamedScores judging_scores(const NamedScores& all);

// What CIDEr loses where the weights are shuffled over the regions, under the name that it has as a
// metric; none where this was not measured.
inline constexpr std::string_view kShuffledDrop = "CIDEr_shuffled_drop";
std::optional<double> shuffled_drop(const AttentionReport& report);

// Whether captions need the map, as far as the images can tell. A loss of 2 % is the limit: the map
// is needed where the whole interval of every ablation's loss lies above it, and needless where
// that of one lies below it.
enum class MapNeed { kNeeded, kNeedless, kUnclear };
std::string_view need_name(MapNeed need);  // "needed", "needless" or "cannot tell"
// None where it was not measured, where the model's own score is 0, or on fewer images than
// kFewestJudgedImages.
std::optional<MapNeed> map_need(const AttentionReport& report);

// The same in one line with its numbers, such as "captions need the map: CIDEr falls by 21.3 %
// [16.0, 26.1] with weights uniform"; none where map_need() has none.
std::optional<std::string> map_need_line(const AttentionReport& report);

// Why the attention looks dead, in one line with its numbers; none if it does not look so, and
// where fewer images were judged than kFewestJudgedImages. It does if
//   captions do not need the map (map_need), or
//   more than 90 % of the maps are static (attention_health.h), or
//   the entropy has collapsed to that of uniform maps, or, where captions do not need the maps, to
//   that of maps on one cell.
// Entropy has collapsed where a reader who sees one region drawn for each word of a caption could
// not tell the maps from such maps in three of four cases: where from_uniform, or from_one_cell, is
// below 1/2. What entropy that is follows from the size of the maps and the number of words: of 10
// words and 196 cells, about .99 is uniform; of 4 cells, .96.
// Static and collapsed maps must be so by more than the noise of the captions: at the nearer end of
// a one-sided 95 % interval of the mean.
std::optional<std::string> dead_attention(const AttentionReport& report);

// Where the entropy has collapsed, to whichever end and whatever captions need: in one line.
std::optional<std::string> collapsed_attention(const AttentionReport& report);

}  // namespace saccade
