#include "captioning/model/supervision_config.h"

#include "core/config/fields.h"

namespace saccade {

void LocalizerConfig::fields(Section& v) {
  v.field("weight", weight,
          "weight of the divergence of a word's map from the map of a localizer, which knows the "
          "word and has learned from captions alone where words are; summed over a caption's "
          "words; 0 = no localizer",
          at_least(0));
  v.field("hidden", hidden, "width of the space in which the localizer compares words with regions",
          between(1, 65536))
      .unless("objective.supervision.localizer.weight", "0");
  v.field("sharpness", sharpness,
          "how much more the localizer's best regions count than the others: a small value is "
          "near the mean of all, a large one near the best alone",
          {.min = 0.01, .max = 100})
      .unless("objective.supervision.localizer.weight", "0");
  v.field("smoothing", smoothing,
          "standard deviation, in cells, of the Gaussian that averages the score of a region "
          "with those of its neighbours in the localizer's map; 0 = none",
          between(0, 10))
      .unless("objective.supervision.localizer.weight", "0");
  v.field("centre", centre,
          "standard deviation, as a share of the picture's sides, of a Gaussian around its "
          "middle that the localizer's map is multiplied with: people put what they photograph "
          "there; 0 = none",
          between(0, 10))
      .unless("objective.supervision.localizer.weight", "0");
}

void SupervisionConfig::fields(Section& v) {
  v.field("boxes", boxes,
          "weight of -log of the attention inside the boxes of a noun (Liu et al. 2017), summed "
          "over a caption's nouns with boxes; where data.vocabulary is bpe, over all pieces of a "
          "noun; boxes are those of scenes, or data.boxes; 0 = off",
          at_least(0));
  v.section("localizer", localizer, "supervision without boxes");
  v.retired("prophet", "0");
  v.retired("cyclical", "0");
  v.retired("step", "0");
}

}  // namespace saccade
