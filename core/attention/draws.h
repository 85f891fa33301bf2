// The selection axis: how hard attention takes regions.
#pragma once

#include <vector>

#include "core/attention/hard_config.h"
#include "core/attention/observer.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The key of draw number `draw` (AttendContext::draw) of row `row`, in a batch whose first sample
// is key.sample. The draws of a caption do not depend on the batch that it is in. No two of the
// first 2^32 samples and 2^32 draws have the same key.
RandomKey glimpse_key(RandomKey key, Index row, Index draw);

// Fills `noise` with Gumbel(0, 1) numbers for ops::gumbel_one_hot. The key is the glimpse_key of a
// row.
void gumbel_noise(const RandomKey& key, std::span<Real> noise);

// Samples one region from its weights (a categorical draw by inversion, of one number).
int sample_region(Random& random, std::span<const Real> weights);

// The region of the largest weight, the first of equal ones. In order, it is the first region that
// is taken with a probability of at least one half, given that those before it were passed: the
// hard process without its noise (Raffel et al. 2017, section 2.2).
int likeliest_region(const Odds& odds);

// Takes the likeliest region.
class ArgmaxObserver : public GlimpseObserver {
 public:
  bool chooses() const override { return true; }
  RegionChoice choose(const Odds& odds) override { return {.region = likeliest_region(odds)}; }
};

// What the regions of a draw may come from besides its weights: with probability shares[r],
// the region of row r is drawn from maps.row(r), which sums to 1 where its share is above 0.
struct Proposal {
  ConstView maps;                // [R, L]
  std::span<const Real> shares;  // [R]
};

// Chooses for hard attention in training: a caption (row) takes the expectation at every word with
// probability `expectation_share`, and otherwise draws a region at every word (Xu et al. 2015,
// section 4.1).
class TrainingSampler : public GlimpseObserver {
 public:
  // Caption c has the rows samples c, ..., samples c + samples - 1, and each of them has its own
  // draws.
  struct Draws {
    CoinKind coin = CoinKind::kImage;
    double expectation_share = 0.5;
    Index captions = 0;
    Index samples = 1;
    std::span<const Proposal> proposals{};  // by draw; one without maps proposes nothing
  };
  // key.step is the number of the update. The captions of the batch have the numbers key.sample,
  // key.sample + 1, ...
  TrainingSampler(const RandomKey& key, const Draws& draws);
  bool chooses() const override { return true; }
  RegionChoice choose(const Odds& odds) override;
  const std::vector<bool>& expectation() const { return expectation_; }  // by caption

 private:
  RandomKey key_;
  Index samples_;
  std::span<const Proposal> proposals_;
  std::vector<bool> expectation_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
