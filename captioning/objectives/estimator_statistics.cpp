#include "captioning/objectives/estimator_statistics.h"

#include <cmath>
#include <set>

namespace saccade {
inline namespace SACCADE_NUMERIC {

void EstimatorSums::add(const ShardLoss& shard) {
  for (const bool sampled : shard.sampled()) captions_ += 1, expectations_ += sampled ? 0 : 1;
  std::vector<std::set<int>> visited(static_cast<std::size_t>(shard.rows().captions()));
  const Index samples = shard.rows().captions() / shard.captions();
  std::size_t n = 0;
  for (std::size_t t = 0; t < shard.output().weights.size(); ++t) {
    const ConstView weights = shard.output().weights[t].value();
    const Index regions = weights.cols();
    gradient_.resize(static_cast<std::size_t>(regions), 0);
    for (Index r = 0; r < weights.rows(); ++r, ++n) {
      const Real* alpha = weights.row(r);
      double entropy = 0;
      for (Index l = 0; l < regions; ++l)
        if (alpha[l] > 0) entropy -= static_cast<double>(alpha[l] * std::log(alpha[l]));
      words_ += 1;
      const Index unmasked = shard.regions()[static_cast<std::size_t>(r / samples)];
      entropy_ += unmasked > 1 ? entropy / std::log(static_cast<double>(unmasked)) : 0;
      const std::span<const int> chosen = shard.output().chosen[t];
      const int pick = chosen.empty() ? -1 : chosen[static_cast<std::size_t>(r)];
      if (pick < 0) continue;
      visited[static_cast<std::size_t>(r)].insert(pick);
      const double advantage = shard.advantages()[n];
      draws_ += 1, advantage_ += advantage, square_ += advantage * advantage;
      for (Index l = 0; l < regions; ++l) {
        const double g = advantage * ((l == pick ? 1.0 : 0.0) - static_cast<double>(alpha[l]));
        gradient_[static_cast<std::size_t>(l)] += g;
        norm_ += g * g;
      }
    }
  }
  for (std::size_t r = 0; r < visited.size(); ++r) {
    if (visited[r].empty()) continue;
    drawn_captions_ += 1;
    visited_ += static_cast<double>(visited[r].size()) /
                static_cast<double>(shard.rows().length(static_cast<Index>(r)));
  }
}

EstimatorSums::Statistics EstimatorSums::statistics() const {
  Statistics out;
  if (captions_ > 0) out.expectation_share = expectations_ / captions_;
  if (words_ > 0) out.entropy = entropy_ / words_;
  if (drawn_captions_ > 0) out.distinct_cells = visited_ / drawn_captions_;
  if (draws_ == 0) return out;
  out.advantage = advantage_ / draws_;
  out.advantage_variance = square_ / draws_ - out.advantage * out.advantage;
  out.gradient_variance = norm_ / draws_;
  for (const double g : gradient_) out.gradient_variance -= g / draws_ * (g / draws_);
  return out;
}

void EstimatorMeans::add(const EstimatorSums::Statistics& update) {
  sums.expectation_share += update.expectation_share;
  sums.advantage += update.advantage;
  sums.advantage_variance += update.advantage_variance;
  sums.gradient_variance += update.gradient_variance;
  sums.distinct_cells += update.distinct_cells;
  sums.entropy += update.entropy;
  ++updates;
}

EstimatorSums::Statistics EstimatorMeans::means() const {
  const auto count = static_cast<double>(updates);
  return {.expectation_share = sums.expectation_share / count,
          .advantage = sums.advantage / count,
          .advantage_variance = sums.advantage_variance / count,
          .gradient_variance = sums.gradient_variance / count,
          .distinct_cells = sums.distinct_cells / count,
          .entropy = sums.entropy / count};
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
