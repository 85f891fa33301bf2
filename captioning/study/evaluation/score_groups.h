// The scores of captions by what makes an image hard: how long people's captions of it are, how
// many objects it has, and how many rare words they use. A score over all images hides where it is
// lost.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captioning/data/load_data.h"
#include "captioning/scoring/statistics/image_statistics.h"
#include "captioning/study/evaluation/ground_captions.h"
#include "core/base/enum_names.h"

namespace saccade {

struct Table;

enum class GroupBy { kLength, kObjects, kRareWords };
constexpr auto enum_table(GroupBy) {
  return enum_rows<GroupBy>(
      {{GroupBy::kLength, "length", "words per caption of the references"},
       {GroupBy::kObjects, "objects", "objects of the image"},
       {GroupBy::kRareWords, "rare_words", "share of rare words in the references"}});
}

// A word is rare if it is among the rarest words of the training captions that together make up
// this share of their text.
inline constexpr double kRareText = 0.05;

// One number per image; NaN where it is not known.
struct ImageTraits {
  GroupBy by = GroupBy::kLength;
  std::vector<double> values;
  std::string text{};  // what the values are, for people; empty: as enum_table says
};

// The mean number of words of an image's references; the number of its objects, where there are
// boxes: those of a scene, or the different boxes that the nouns of a photo's references have; and
// the share of the references' words that are rare, where the data set has training captions. Words
// that training lacks are rare. A text is turned into one right result: its only trait is its
// length, the number of its own tokens.
std::vector<ImageTraits> image_traits(const LoadedData& data, std::span<const Index> images,
                                      const NounSource& source);

struct GroupScore {
  std::string metric;
  double score = 0;
  // The interval (95 %) of bootstrap() over the images of the group; NaN for fewer than
  // kFewestImages (statistics/resampling.h).
  double low = 0, high = 0;
};

struct ScoreGroup {
  double low = 0, high = 0, mean = 0;  // of the values of its images
  Index images = 0;
  std::vector<GroupScore> scores{};
  // "3", or "3 to 5"; shares as per cent.
  std::string name(GroupBy by) const;
};

struct ScoreGrouping {
  GroupBy by = GroupBy::kLength;
  std::vector<ScoreGroup> groups;  // by rising values; none, or at least two
  std::string text{};              // what the values are, for people
};

// A row for each group: its name, its images and its scores.
Table table_of(const ScoreGrouping& grouping);

inline constexpr std::size_t kMostGroups = 5;
inline constexpr std::size_t kSmallestGroup = 10;  // the scores of fewer images are chance

// "two groups of at least 10 images each": what is needed to speak of easy and hard images.
std::string needed_groups(std::string_view items);

// Which group each value belongs to, from 0 by rising values; -1 for NaN. Up to kMostGroups
// different values make a group each. Of more, groups of about equal size are made, and equal
// values stay together. A group that would have fewer values than kSmallestGroup joins the next
// one, and the last one that before it.
std::vector<int> value_groups(std::span<const double> values);

// The headline metrics (of texts, those of texts) of every group, from the images' statistics,
// without those that a group cannot have. CIDEr keeps the document frequencies of all images, as
// of_image() does. A trait that all images share makes no grouping, and one by which no two groups
// are large enough a grouping without groups. Throws ShapeError where the numbers of images differ.
std::vector<ScoreGrouping> group_scores(std::span<const ImageStatistics> metrics,
                                        std::span<const ImageTraits> traits);

}  // namespace saccade
