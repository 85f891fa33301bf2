// Where the words of a picture are, learned from captions alone: regions are scored for words, and
// the best regions of a picture decide whether its captions have the word. No boxes are used.
#pragma once

#include <span>
#include <vector>

#include "captioning/model/decoders/score_map.h"
#include "core/autograd/tape.h"
#include "core/nn/parameter_store.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Which words the captions of some images have. The words are the classes of a batch.
struct WordLabels {
  std::vector<int> words;     // [W] ids, rising
  std::vector<Real> present;  // [M, W] 1 where a caption of the image has the word, else 0
};

struct LocalizerWidths {
  Index features = 0;    // D
  Index vocabulary = 0;  // V
  Index hidden = 0;      // A
};

// s_l(w) = <W a_l + b, e_w>, where a_l is a region's features with mean 0 and deviation 1, and
//   logit p(w | image) = (1 / r) log mean_l exp(r s_l(w)) + logit share(w),
// where share(w) is the share of training images whose captions have w: multiple-instance learning
// of words (Fang et al., CVPR 2015) with log-sum-exp pooling (Pinheiro and Collobert, CVPR 2015). d
// logit / d s_l = softmax_l(r s_l(w)) is the map of w. score_map may add what is known about maps
// without learning: neighbours show the same things, and photographers aim at them. Similar regions
// are in pictures without the word, too, so only a region that shows a word can score high for it.
// Features are constants to the localizer, so it changes no other part of a model. In training they
// are those that the decoder reads, after encoder.feature_dropout and
// region_dropout: a word should not be sought in regions that the decoder has as zeros, and the
// dropout regularises the localizer as it does the decoder. The maps that `evaluate` judges are
// made without dropout. Declares key, key_bias, words and share below `scope`.
class WordLocalizer {
 public:
  WordLocalizer(const ParamScope& scope, const LocalizerWidths& widths, const ScoreMapOptions& map);

  // features [M, L, D] -> keys [M, L, A].
  Var keys(Tape& tape, Var features) const;
  // The scores of each region for each word, with the words' shares: [M, L, W].
  Var scores(Tape& tape, Var keys, std::span<const int> words) const;
  // The logits of the words' shares [W], as the model of the tape has them.
  std::vector<double> share_logits(Tape& tape, std::span<const int> words) const;
  // How scores become a map; its sharpness is r.
  const ScoreMapOptions& map() const { return map_; }

  // Sets the shares of the words among the training images, each between 0 and 1 [V].
  void set_shares(ParameterStore& store, std::span<const double> shares) const;

 private:
  ScoreMapOptions map_;
  int key_weight_, key_bias_, words_, share_;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
