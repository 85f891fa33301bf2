// Whether maps show what a model uses: the weights that regions have at a word, compared with what
// the word loses without each region (occlusion.h). Jain and Wallace (2019) compare weights with
// the effects of leaving tokens out, and Abnar and Zuidema (2020) rollouts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captioning/model/maps/map_views.h"
#include "core/base/enum_names.h"
#include "core/base/mean.h"

namespace saccade {

// What is taken from the model to see what a word loses.
enum class Occluded { kRegions, kPicture };
constexpr auto enum_table(Occluded) {
  using enum Occluded;
  return enum_rows<Occluded>({
      {kRegions, "regions", "a region of the grid that the decoder attends to (occlusion.h)"},
      {kPicture, "picture", "the pixels of a cell, before the encoder (picture_occlusion.h)"},
  });
}

// Spearman's rank correlation, where equal numbers share the mean of their ranks. NaN where all
// numbers of a list are equal, or there are none. Throws ShapeError for lists of different lengths.
double rank_correlation(std::span<const double> a, std::span<const double> b);

// Maps of one kind, over all words that they and the effects can tell something about.
struct MapAgreement {
  std::string map;   // "last layer", "mean of the layers", "rollout"
  Mean rank;         // rank correlation of weights and effects, of each word
  Mean same_region;  // 1 where the region of the largest weight has the largest effect, else 0
  Mean fall;         // the effect of the region of the largest weight, in nats
};

// How maps agree with effects over the words of captions.
class AgreementMeasure {
 public:
  // Takes a caption whose words have effects (DecodedWord::effects), and views of its maps with
  // their names: the same names for every caption. Words without a map (the sentinel took all of
  // the weight) and words that no region changes are left out.
  void add(const DecodedCaption& caption, std::span<const std::pair<std::string, MapView>> views);

  const std::vector<MapAgreement>& maps() const { return maps_; }
  Index words() const { return words_; }  // that are compared
  Index left_out() const { return left_out_; }
  // The largest effect of a region on a word, and the share of words for which a region that is
  // chosen blindly would be that of the largest effect.
  const Mean& largest_fall() const { return largest_fall_; }
  const Mean& chance() const { return chance_; }

 private:
  std::vector<MapAgreement> maps_;
  Mean largest_fall_, chance_;
  Index words_ = 0, left_out_ = 0;
};

}  // namespace saccade
