// The selection axis: what decides which regions hard attention takes.
#pragma once

#include <vector>

#include "core/attention/attention.h"
#include "core/attention/hard_config.h"
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

// Samples one region from the weights of a row (a categorical draw by inversion).
int draw_region(Random& random, const Real* weights, Index regions);

// Chooses the region of the largest weight, and the first of equal ones.
class ArgmaxChooser : public Chooser {
 public:
  void choose(ConstView weights, Index draw, std::span<int> chosen) override;
  // Chooses the first region that is taken with a probability of at least one half, given that
  // those before it were passed: the hard process without its noise (Raffel et al. 2017, section
  // 2.2).
  void choose_in_order(ConstView weights, Index draw, std::span<int> chosen) override;
};

// Draws the region of every row from its weights. Row r of a sequence uses the key of sample
// first_sample + r, so that the draws of a caption do not depend on the batch that it is in.
class SampleChooser : public Chooser {
 public:
  explicit SampleChooser(const RandomKey& key) : key_(key) {}
  void choose(ConstView weights, Index draw, std::span<int> chosen) override;

 private:
  RandomKey key_;
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
class TrainingChooser : public Chooser {
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
  TrainingChooser(const RandomKey& key, const Draws& draws);
  void choose(ConstView weights, Index draw, std::span<int> chosen) override;
  std::span<const int> drawn(std::span<const int> chosen) const override {
    return proposals_.empty() ? chosen : drawn_;
  }
  const std::vector<bool>& expectation() const { return expectation_; }  // by caption

 private:
  RandomKey key_;
  Index samples_;
  std::span<const Proposal> proposals_;
  std::vector<int> drawn_;
  std::vector<bool> expectation_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
