// Attention health: measures that distinguish a useful map from one that is the same at every
// region or at every word. The scores of captions cannot show that.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "captioning/model/maps/decoded_caption.h"
#include "captioning/scoring/scores/caption_scores.h"

namespace saccade {

// A map is static if its Jensen-Shannon divergence from the map before is below this.
constexpr double kStaticDivergence = 0.01;

// Means over the words of all captions without <eos>, or over all captions. The map p of a word is
// map_shares() of DecodedWord::map, the mean over heads without the sentinel. A word without weight
// has no map and counts nowhere. A caption has
// C maps, and p_t is that of its word t. A mean over nothing is NaN; for example, where all
// captions have one word, no map has a map before it.
struct AttentionHealth {
  Index words = 0;     // the words that have a map
  Index captions = 0;  // the captions that have any
  double entropy = 0;  // -sum_i p_i log p_i / log L, in [0, 1]; 0 if L = 1
  double largest = 0;  // max_i p_i
  // Of a map p and the one before, q: (KL(p | m) + KL(q | m)) / 2 in bits, m = (p + q) / 2; in [0,
  // 1].
  double divergence = 0;
  // sqrt(sum_t (p_ti - mean_t p_ti)^2 / C), averaged over the cells i, of captions with C >= 2.
  double spread = 0;
  // sum_i (1 - sum_t p_ti)^2 (Xu et al. 2015, section 4.2.1) minus its lowest value, (L - C)^2 / L.
  // The difference is sum_i (sum_t p_ti - C / L)^2; it is 0 where the maps of a caption are
  // uniform.
  double coverage_excess = 0;
  double static_share = 0;   // the share of static maps among those with a map before
  double static_error = 0;   // its standard error over captions (0 for a single one)
  double uniform_share = 0;  // the share of uniform maps (kUniformEntropy)
  // How far the maps of a caption are from having collapsed, for what a reader of one region per
  // word could tell: if a region is drawn from the map of every word, at most by how much of the
  // probability the draws of a caption differ from those of uniform maps of the same sizes, and by
  // how much from drawing each map's largest cell every time. 0: the draws are the same; 1: none of
  // them could have come from such maps. The first is bounded by sqrt(I / 2) and sqrt(1 - exp(-I))
  // (Pinsker; Bretagnolle and Huber), I being the sum over words of sum_i p_i log(p_i L); the
  // second is 1 - prod_t max_i p_ti. Means over the captions whose maps have at least two cells,
  // with the standard error of that mean (0 for a single caption).
  double from_uniform = std::numeric_limits<double>::quiet_NaN();
  double from_one_cell = std::numeric_limits<double>::quiet_NaN();
  double from_uniform_error = 0, from_one_cell_error = 0;
  // Pearson's correlation of two heads' weights over the regions, averaged over pairs of heads and
  // words, without pairs that have a flat map. None where there is only one head.
  std::optional<double> head_correlation;

  // In the order of a report: entropy, max_weight, js_divergence, spread, coverage_excess,
  // static_share, uniform_share, from_uniform, from_one_cell and, if there is one,
  // head_correlation.
  NamedScores scores() const;
};

// The health of captions' maps. Throws ShapeError where the maps of a caption differ in size.
AttentionHealth attention_health(std::span<const DecodedCaption> captions);

}  // namespace saccade
