// The selection axis: who decides where hard attention looks.
#pragma once

#include <vector>

#include "core/attention/attention.h"
#include "core/base/random.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The key of word `step` of row `row` of a batch whose first sample is key.sample: a caption's
// draws do not depend on the batch it is in.
RandomKey word_key(RandomKey key, Index row, Index step);

// Fills `noise` with Gumbel(0, 1) numbers (for ops::gumbel_one_hot: a word_key for each row).
void gumbel_noise(const RandomKey& key, std::span<Real> noise);

// Samples one region a row from its weights (a categorical draw by inversion).
int draw_region(Random& random, const Real* weights, Index regions);

// The region of the largest weight, the first of equals.
class ArgmaxChooser : public Chooser {
 public:
  void choose(ConstView weights, Index step, std::span<int> chosen) override;
};

// Draws every row's region from its weights; row r of a sequence uses the key of sample
// first_sample + r, so a caption's draws do not depend on the batch it is in.
class SampleChooser : public Chooser {
 public:
  explicit SampleChooser(const RandomKey& key) : key_(key) {}
  void choose(ConstView weights, Index step, std::span<int> chosen) override;

 private:
  RandomKey key_;
};

// What the regions of a look may be drawn from besides its weights: row r's, with probability
// shares[r], from maps.row(r), which sums to 1 where its share is above 0.
struct Proposal {
  ConstView maps;                // [R, L]
  std::span<const Real> shares;  // [R]
};

// Hard attention in training: each caption (row) either looks at its expectation at every word,
// with probability `expectation_share`, or draws at every word (Xu et al. 2015, section 4.1).
class TrainingChooser : public Chooser {
 public:
  // Caption c has the rows samples c, ..., samples c + samples - 1, whose draws differ.
  struct Draws {
    CoinKind coin = CoinKind::kImage;
    double expectation_share = 0.5;
    Index captions = 0;
    Index samples = 1;
    std::span<const Proposal> proposals{};  // by look; with no maps: none
  };
  // key.step is the update; captions are number key.sample, key.sample + 1, ... of the batch.
  TrainingChooser(const RandomKey& key, const Draws& draws);
  void choose(ConstView weights, Index step, std::span<int> chosen) override;
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
