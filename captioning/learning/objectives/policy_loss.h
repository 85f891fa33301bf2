// The loss of self-critical training: captions that the model drew, each weighted by how much
// better its reward is than a baseline (Rennie et al. 2017; leave-one-out: Luo 2020).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/maps/decoded_caption.h"
#include "core/attention/observer.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Everything that was drawn for a caption. The draw that ended it is included, be it <eos> or the
// word that was cut off at the greatest length: without it the estimator would be biased.
struct DrawnCaption {
  std::vector<int> words;    // at least one
  std::vector<int> regions;  // one per glimpse; empty where attention takes the expectation
};
DrawnCaption drawn_caption(const DecodedCaption& caption);

// The mean reward of the image's other samples, for each of rewards [M * samples]. It does not
// depend on the caption itself. There must be at least two samples.
std::vector<double> leave_one_out(std::span<const double> rewards, Index samples);

// The distribution that captions were drawn from.
struct Policy {
  std::string selection = "soft";
  double temperature = 1;  // of the words
};

// Teacher forcing along the draws, kept until backward. Without dropout, the gradient is that of
// the distribution that the captions were drawn from.
class PolicyLoss {
 public:
  // memory holds M images in groups of 1; captions [M * samples] are sorted by image.
  PolicyLoss(Tape& tape, const Decoder& decoder, const AttentionMemory& memory,
             std::span<const DrawnCaption> captions, const Policy& policy);

  // By caption, log p of the words given the regions, and log p of the regions (0 unless drawn).
  // Where the tape trains, a region of weight 0 is left out: dropout took the weight that it was
  // drawn with, and a sparse normalizer keeps it at 0, so that no small change of the parameters
  // makes the draw more or less likely. Otherwise its log p is -infinity.
  const std::vector<double>& word_log_probs() const { return word_log_probs_; }
  const std::vector<double>& region_log_probs() const { return region_log_probs_; }

  // The gradient of - sum_c advantages[c] (log p(words_c) + log p(regions_c)) / batch_captions.
  void backward(std::span<const double> advantages, Index batch_captions);

 private:
  struct Replay : GlimpseObserver {
    std::vector<std::vector<int>> regions;  // by row, then by draw
    bool chooses() const override { return true; }
    RegionChoice choose(const Odds& odds) override {
      return {.region =
                  regions[static_cast<std::size_t>(odds.row)][static_cast<std::size_t>(odds.draw)],
              .sampled = true};
    }
  };
  void read_log_probs();

  Tape* tape_;
  std::vector<std::size_t> order_;  // row r of the tape is caption order_[r], longest first
  PackedCaptions packed_;
  Replay replay_;
  std::vector<Real> region_weights_;  // d loss / d log p(region), packed by time
  ops::Reinforce estimator_;
  SequenceOutput output_;
  std::vector<double> word_log_probs_, region_log_probs_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
