// Attention supervised without boxes, by attention whose query knows the word
// (informed_attention.h): -log p of the word from the informed glimpse, and the distance of the
// word's own map from the informed map.
#pragma once

#include <span>
#include <vector>

#include "captioning/decoders/decoder.h"
#include "captioning/decoders/decoder_limits.h"
#include "captioning/objectives/supervision_config.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

class InformedSupervision {
 public:
  // `words` is one of SequenceOutput::informed. If `weights` (SequenceOutput::weights of the same
  // captions) are given, the map of step t + step has a distance from the informed map of word t,
  // which is a constant to it (ops::map_distance). A word whose step t + step lies beyond the end
  // of its caption has none.
  InformedSupervision(const InformedWords& words, std::span<const Var> weights, Index step);

  // The weights of what is added to the loss: of -log p of every word, and of the distances.
  struct Weights {
    double cost = 0, distance = 0;
  };
  std::vector<Var> terms(const Weights& weights) const;

  double cost() const { return cost_; }          // -log p, summed over words and rows
  Index words() const;                           // the number of words and rows
  double distance() const { return distance_; }  // summed over maps and rows
  Index maps() const;                            // the number of maps and rows with a distance

 private:
  Var nll_;                     // [N]
  std::vector<Var> distances_;  // of steps that have some, [R_t] each
  double cost_ = 0, distance_ = 0;
};

// The decoders that cannot have informed attention.
DecoderLimit informed_attention_limit();

// Throws UsageError, with the reason, where a decoder and an attention cannot have the informed
// attention that a config asks for.
void check_informed_attention(const SupervisionConfig& supervision, const DecoderConfig& decoder,
                              const AttentionConfig& attention);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
