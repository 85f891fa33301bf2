#include "captioning/study/inspection/head_correlation.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

// What rounding leaves of equal weights is no shape to correlate.
constexpr double kFlat = 1e-10;

struct CentredMap {
  std::vector<double> weights;  // of the rows that count, without the mean of their row
  double square = 0;            // of the weights with that mean
};

CentredMap centred(const MaskedMap& head) {
  CentredMap out;
  const UnmaskedPart& part = head.part;
  std::vector<double> row;
  for (Index t = part.causal ? 1 : 0; t < head.map.rows(); ++t) {
    if (!part.rows.empty() && part.rows[static_cast<std::size_t>(t)] == 0) continue;
    row.clear();
    const Index end = part.causal ? std::min(t + 1, head.map.cols()) : head.map.cols();
    for (Index l = 0; l < end; ++l)
      if (head.seen.empty() || head.seen[static_cast<std::size_t>(l)] != 0)
        row.push_back(std::abs(static_cast<double>(head.map.row(t)[l])));
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    const double mean = total > 0 ? 1 / static_cast<double>(row.size()) : 0;
    for (const double weight : row) {
      const double share = total > 0 ? weight / total : 0;
      out.square += share * share;
      out.weights.push_back(share - mean);
    }
  }
  return out;
}

}  // namespace

void HeadCorrelation::add(std::span<const MaskedMap> heads) {
  if (heads_ == 0) {
    heads_ = heads.size();
    products_.assign(heads_ * heads_, 0);
    squares_.assign(heads_, 0);
  }
  SACCADE_CHECK(heads.size() == heads_, "[head correlation] ", heads.size(), " heads after ",
                heads_);
  std::vector<CentredMap> maps(heads_);
  const auto count = static_cast<Index>(heads_);
  parallel::for_each(count, [&](Index h) {
    maps[static_cast<std::size_t>(h)] = centred(heads[static_cast<std::size_t>(h)]);
  });
  for (const CentredMap& map : maps)
    SACCADE_CHECK(map.weights.size() == maps[0].weights.size(),
                  "[head correlation] the heads' maps differ in size");
  parallel::for_each(count, [&](Index row) {
    const auto a = static_cast<std::size_t>(row);
    squares_[a] += maps[a].square;
    for (std::size_t b = 0; b < heads_; ++b)
      products_[a * heads_ + b] += std::inner_product(
          maps[a].weights.begin(), maps[a].weights.end(), maps[b].weights.begin(), 0.0);
  });
}

std::vector<double> HeadCorrelation::matrix() const {
  std::vector<double> out(heads_ * heads_, std::numeric_limits<double>::quiet_NaN());
  const auto varies = [&](std::size_t h) {
    return products_[h * heads_ + h] > kFlat * squares_[h];
  };
  for (std::size_t a = 0; a < heads_; ++a)
    for (std::size_t b = 0; b < heads_; ++b)
      if (varies(a) && varies(b))
        out[a * heads_ + b] =
            a == b ? 1
                   : products_[a * heads_ + b] /
                         std::sqrt(products_[a * heads_ + a] * products_[b * heads_ + b]);
  return out;
}

}  // namespace saccade
