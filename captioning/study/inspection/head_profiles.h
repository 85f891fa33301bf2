// What all heads of a captioner do (core/attention/head_profile.h), and which of them do the same,
// over some images.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/inputs.h"
#include "captioning/model/model.h"
#include "captioning/study/inspection/model_heads.h"
#include "core/attention/head_profile.h"

namespace saccade {

// Whether a model could do without a head.
enum class HeadRole { kSpecialised, kRedundant, kNeither };
constexpr auto enum_table(HeadRole) {
  using enum HeadRole;
  return enum_rows<HeadRole>(
      {{kSpecialised, "specialised", "attends to one position, or to what it reads"},
       {kRedundant, "redundant", "does what a head before it does"},
       {kNeither, "-", "neither of these"}});
}

// From this correlation on two heads do the same: one's map then tells four fifths of the variance
// of the other's (.9 squared).
inline constexpr double kRedundantCorrelation = 0.9;

// Another head of the same place, and the correlation of the two (head_correlation.h).
struct LikeHead {
  HeadName name;
  double correlation = 0;
};

struct ProfiledHead {
  HeadPlace place = HeadPlace::kRefine;
  Index layer = 0, head = 0;  // from 0
  Index columns = 0;          // L, the largest number of what the rows attend to
  // previous, next, first and diagonal are NaN where words attend to a grid of several rows: the
  // numbers of words and of regions in reading order have nothing to do with each other.
  HeadProfile profile{};
  std::optional<double> content{};    // content_between() of the images, one after the other
  std::optional<LikeHead> closest{};  // of the same place; none where nothing correlates
  // Redundant if it correlates with a head before it in its place by kRedundantCorrelation, so that
  // of heads that do the same the first is none; else specialised if kind() is previous, next,
  // first, diagonal or content.
  HeadRole role = HeadRole::kNeither;

  HeadName name() const { return {.place = place, .layer = layer, .head = head}; }
  HeadKind kind() const { return kind_of(profile, content); }
};

// The correlations of all heads of a place.
struct PlaceCorrelations {
  HeadPlace place = HeadPlace::kRefine;
  std::vector<HeadName> names;  // [N]
  std::vector<double> matrix;   // [N, N] as HeadCorrelation::matrix()
};

struct HeadProfiles {
  std::vector<ProfiledHead> heads;  // by place, layer and head
  std::vector<PlaceCorrelations> correlations;
};

// The heads of the encoder's blocks and of the refinement, over one map per image; then those of
// the decoder among its words, and of its attention to the image, over the maps of one caption per
// image: its first one with words, under teacher forcing, the end included. The words of a model
// that reads the image as its first word have no maps. Blocks that weigh other things than
// positions (linformer's mixtures) have no profiles. Throws ShapeError without images.
HeadProfiles head_profiles(const CaptionModel& model, const Dataset& dataset,
                           const DatasetInputs& inputs, std::span<const Index> images);

}  // namespace saccade
