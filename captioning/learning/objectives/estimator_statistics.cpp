#include "captioning/learning/objectives/estimator_statistics.h"

#include <algorithm>
#include <cmath>

namespace saccade {
inline namespace SACCADE_NUMERIC {

EstimatorSums::EstimatorSums(std::span<const double> figures) {
  if (figures.empty()) return;
  const std::vector<double*> sums{&captions_, &expectations_, &draws_,   &advantage_,
                                  &square_,   &norm_,         &visited_, &drawn_captions_,
                                  &words_,    &entropy_};
  for (std::size_t i = 0; i < sums.size(); ++i) *sums[i] = figures[i];
  gradient_.assign(figures.begin() + static_cast<std::ptrdiff_t>(sums.size()), figures.end());
}

std::vector<double> EstimatorSums::figures() const {
  std::vector<double> out{captions_, expectations_, draws_,          advantage_, square_,
                          norm_,     visited_,      drawn_captions_, words_,     entropy_};
  out.insert(out.end(), gradient_.begin(), gradient_.end());
  return out;
}

void EstimatorSums::add(const ShardLoss& shard) {
  for (const bool sampled : shard.sampled()) captions_ += 1, expectations_ += sampled ? 0 : 1;
  std::vector<std::set<int>> visited(static_cast<std::size_t>(shard.rows().captions()));
  const Index samples = shard.rows().captions() / shard.captions();
  std::size_t n = 0;
  for (std::size_t t = 0; t < shard.output().draws.size(); ++t) {
    const std::vector<RegionDraws>& all = shard.output().draws[t];
    const std::size_t heads = all.size() / shard.output().layers.size();
    const std::span<const RegionDraws> last = std::span(all).last(heads);
    for (Index r = 0; r < shard.rows().rows[t]; ++r, ++n) {
      const Index unmasked = shard.regions()[static_cast<std::size_t>(r / samples)];
      const Index regions = shard.output().weights()[t].cols();
      for (std::size_t h = 0; h < heads; ++h)
        add_draw(last[h], h, r,
                 {.choices = unmasked + (last[h].weights.cols() - regions),
                  .advantage = shard.advantages()[n],
                  .visited = &visited[static_cast<std::size_t>(r)]});
    }
  }
  for (std::size_t r = 0; r < visited.size(); ++r) {
    if (visited[r].empty()) continue;
    drawn_captions_ += 1;
    visited_ += static_cast<double>(visited[r].size()) /
                static_cast<double>(shard.rows().length(static_cast<Index>(r)));
  }
}

void EstimatorSums::add_draw(const RegionDraws& draw, std::size_t head, Index row,
                             const DrawOf& of) {
  const Index columns = draw.weights.cols();
  const Real* alpha = draw.weights.row(row);
  const std::size_t first = head * static_cast<std::size_t>(columns);
  if (gradient_.size() < first + static_cast<std::size_t>(columns))
    gradient_.resize(first + static_cast<std::size_t>(columns), 0);
  double entropy = 0;
  for (Index l = 0; l < columns; ++l)
    if (alpha[l] > 0) entropy -= static_cast<double>(alpha[l] * std::log(alpha[l]));
  words_ += 1;
  entropy_ += of.choices > 1 ? entropy / std::log(static_cast<double>(of.choices)) : 0;
  const int pick = draw.chosen[static_cast<std::size_t>(row)];
  if (pick < 0) return;
  of.visited->insert(pick);
  draws_ += 1, advantage_ += of.advantage, square_ += of.advantage * of.advantage;
  for (Index l = 0; l < columns; ++l) {
    const double g = of.advantage * ((l == pick ? 1.0 : 0.0) - static_cast<double>(alpha[l]));
    gradient_[first + static_cast<std::size_t>(l)] += g;
    norm_ += g * g;
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
