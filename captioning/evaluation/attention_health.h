// Attention health: measures that distinguish a map at work from one that is the same everywhere,
// or the same at every word. Scores of captions cannot show that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "captioning/scoring/caption_scores.h"
#include "captioning/search/search.h"

namespace saccade {

// A map whose Jensen-Shannon divergence from the one before is below this is static.
constexpr double kStaticDivergence = 0.01;
// A map whose entropy / log L is above this is uniform.
constexpr double kUniformEntropy = 0.99;

// Means over the words of all captions, <eos> not counted, or over all captions. The map of a word
// is p_i = |w_i| / sum_j |w_j| over its L regions that count (w the mean over heads, its sentinel
// left out); a word that weighs nothing (sum below 1e-6) has no map and counts nowhere. A caption
// has C maps; those of its words t are p_t. A mean over nothing is NaN, as of maps with one before
// where all captions have one word.
struct AttentionHealth {
  Index words = 0;     // that have a map
  double entropy = 0;  // -sum_i p_i log p_i / log L, in [0, 1]; 0 if L = 1
  double largest = 0;  // max_i p_i
  // Of a map and the one before: (KL(p | m) + KL(q | m)) / 2 in bits, m = (p + q) / 2; in [0, 1].
  double divergence = 0;
  // sqrt(sum_t (p_ti - mean_t p_ti)^2 / C), the mean over cells i, of captions with C >= 2.
  double spread = 0;
  // sum_i (1 - sum_t p_ti)^2 (Xu et al. 2015, section 4.2.1) above its floor (L - C)^2 / L, which
  // is sum_i (sum_t p_ti - C / L)^2; 0 where the maps of a caption are uniform.
  double coverage_excess = 0;
  double static_share = 0;   // of maps with one before
  double uniform_share = 0;  // of maps
  // Pearson's correlation of two heads' weights over the regions, the mean over pairs of heads and
  // words; pairs with a flat map have none. None without several heads.
  std::optional<double> head_correlation;

  // In the order of a report: entropy, max_weight, js_divergence, spread, coverage_excess,
  // static_share, uniform_share, head_correlation (if there is one).
  NamedScores scores() const;
};

// -sum_i p_i log p_i / log L of one word's weights over the L regions that count, as above; nothing
// where they weigh nothing. counts is 0 for regions that do not count, or empty: all count.
std::optional<double> map_entropy(const std::vector<float>& weights,
                                  std::span<const std::uint8_t> counts);

// The health of captions' maps. Throws ShapeError where the maps of a caption differ in size.
AttentionHealth attention_health(std::span<const DecodedCaption> captions);

}  // namespace saccade
