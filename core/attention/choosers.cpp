#include "core/attention/choosers.h"

#include <algorithm>

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

RandomKey coin_key(RandomKey key, std::uint64_t sample) {
  key.sample = sample << 16;
  return key;
}

}  // namespace

// The number of the draw stands in the lowest 16 bits and, what does not fit, in the highest 16, so
// that 2^32 samples with 2^32 draws each have keys of their own. A sample's coin has the number 0,
// and its draws those from 1 on.
RandomKey glimpse_key(RandomKey key, Index row, Index draw) {
  const std::uint64_t number = static_cast<std::uint64_t>(draw) + 1;
  key.sample += static_cast<std::uint64_t>(row);
  key.sample = (number >> 16) << 48 | key.sample << 16 | (number & 0xFFFF);
  return key;
}

void gumbel_noise(const RandomKey& key, std::span<Real> noise) {
  Random random(key);
  for (Real& g : noise) g = static_cast<Real>(random.gumbel());
}

int draw_region(Random& random, const Real* weights, Index regions) {
  double left = random.uniform();
  for (Index l = 0; l < regions; ++l) {
    left -= static_cast<double>(weights[l]);
    if (left < 0) return static_cast<int>(l);
  }
  // Rounding left a remainder, which goes to the most probable region.
  return static_cast<int>(std::max_element(weights, weights + regions) - weights);
}

void ArgmaxChooser::choose(ConstView weights, Index, std::span<int> chosen) {
  for (Index r = 0; r < weights.rows(); ++r)
    chosen[static_cast<std::size_t>(r)] = static_cast<int>(
        std::max_element(weights.row(r), weights.row(r) + weights.cols()) - weights.row(r));
}

void ArgmaxChooser::choose_in_order(ConstView weights, Index, std::span<int> chosen) {
  const Index regions = weights.cols() - 1;
  for (Index r = 0; r < weights.rows(); ++r) {
    double left = 1;  // the probability that no region so far was taken
    Index region = 0;
    for (; region < regions; ++region) {
      const auto weight = static_cast<double>(weights.row(r)[region]);
      if (weight > 0 && weight >= left / 2) break;
      left -= weight;
    }
    chosen[static_cast<std::size_t>(r)] = static_cast<int>(region);
  }
}

void SampleChooser::choose(ConstView weights, Index draw, std::span<int> chosen) {
  for (Index r = 0; r < weights.rows(); ++r) {
    Random random(glimpse_key(key_, r, draw));
    chosen[static_cast<std::size_t>(r)] = draw_region(random, weights.row(r), weights.cols());
  }
}

TrainingChooser::TrainingChooser(const RandomKey& key, const Draws& draws)
    : key_(key),
      samples_(draws.samples),
      proposals_(draws.proposals),
      expectation_(static_cast<std::size_t>(draws.captions)) {
  for (Index c = 0; c < draws.captions; ++c) {
    const auto sample =
        draws.coin == CoinKind::kImage ? key.sample + static_cast<std::uint64_t>(c) : 0;
    expectation_[static_cast<std::size_t>(c)] =
        Random(coin_key(key, sample)).uniform() < draws.expectation_share;
  }
  // Rows are numbered through the whole batch, so that no two share their draws.
  key_.sample *= static_cast<std::uint64_t>(samples_);
}

void TrainingChooser::choose(ConstView weights, Index draw, std::span<int> chosen) {
  const auto number = static_cast<std::size_t>(draw);
  const bool proposed = number < proposals_.size() && proposals_[number].maps.data;
  if (!proposals_.empty()) drawn_.assign(chosen.size(), -1);
  for (Index r = 0; r < weights.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    if (expectation_[static_cast<std::size_t>(r / samples_)]) {
      chosen[row] = -1;
      continue;
    }
    Random random(glimpse_key(key_, r, draw));
    // Which map a region is drawn from does not depend on the weights, so draws from the weights
    // are rewarded as if there were no proposals.
    const Proposal* const other =
        proposed && random.uniform() < static_cast<double>(proposals_[number].shares[row])
            ? &proposals_[number]
            : nullptr;
    const ConstView map = other ? other->maps : weights;
    chosen[row] = draw_region(random, map.row(r), map.cols());
    if (!proposals_.empty() && !other) drawn_[row] = chosen[row];
  }
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
