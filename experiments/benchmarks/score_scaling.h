// What the factor 1 / sqrt(d_k) does to attention by dot products (Vaswani et al. 2017, section
// 3.2.1): statistics of scores, weights and gradients for random queries and keys.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/shape.h"

namespace saccade {

struct ScalingDraws {
  Index regions = 49;  // keys per query, at least 2
  Index queries = 1000;
  std::uint64_t seed = 1;
};

// Over the queries of one width.
struct ScoreStatistics {
  double variance = 0;     // of all scores
  double entropy = 0;      // of the weights, as a share of log(regions); mean
  double largest = 0;      // the largest weight; mean
  double jacobian = 0;     // the Frobenius norm of d weights / d scores; mean
  double median_norm = 0;  // the same; median
};

struct ScalingRow {
  Index width = 0;  // d_k
  ScoreStatistics plain, scaled;
};

// Scores q' k, and q' k / sqrt(width), of the same queries and keys: independent standard normal
// numbers, which depend on the seed, the width and the number of the query alone.
ScalingRow measure_scaling(Index width, const ScalingDraws& draws);

// The statistics of given scores, `regions` for each query, as measure_scaling() has them. The mean
// of the scores is taken to be 0.
ScoreStatistics score_statistics(const std::vector<double>& scores, Index regions);

}  // namespace saccade
