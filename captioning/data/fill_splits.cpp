#include "captioning/data/fill_splits.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/random.h"

namespace saccade {

namespace {

// Where the image's name lies between 0 and 1.
double position(const CaptionedImage& image) {
  return static_cast<double>(name_key(image.id) >> 11) * 0x1.0p-53;
}

// Moves the training images whose positions are in [begin, begin + share) to another split, at
// least one if train keeps one. Returns whether any was moved.
bool fill(Dataset& dataset, Split split, double begin, double share) {
  if (share <= 0 || !images_of(dataset, split).empty()) return false;
  const std::vector<Index> train = images_of(dataset, Split::kTrain);
  if (train.size() < 2) return false;
  const auto at = [&](Index i) -> CaptionedImage& {
    return dataset.images[static_cast<std::size_t>(i)];
  };
  std::vector<Index> chosen;
  std::copy_if(train.begin(), train.end(), std::back_inserter(chosen), [&](Index i) {
    const double place = position(at(i));
    return place >= begin && place < begin + share;
  });
  const auto first = [&](Index a, Index b) {
    return std::pair(position(at(a)), at(a).id) < std::pair(position(at(b)), at(b).id);
  };
  if (chosen.empty()) chosen.push_back(*std::min_element(train.begin(), train.end(), first));
  if (chosen.size() == train.size()) {  // of a few images, names may choose all
    chosen.erase(std::max_element(chosen.begin(), chosen.end(), first));
  }
  for (const Index i : chosen) at(i).split = split;
  dataset.notes.push_back(str("the files have no ", split_name(split), " split: ", chosen.size(),
                              " of ", counted(static_cast<Index>(train.size()), "training image"),
                              ", chosen by a hash of their names, ",
                              chosen.size() == 1 ? "is " : "are ", split_name(split),
                              " (data.split.", split_name(split), ")"));
  return true;
}

}  // namespace

void fill_splits(Dataset& dataset, const SplitConfig& config) {
  if (config.val + config.test >= 1) {
    throw UsageError(str("data.split: val ", config.val, " and test ", config.test,
                         " leave nothing to train on; their sum must be below 1"));
  }
  bool changed = fill(dataset, Split::kVal, 0, config.val);
  changed = fill(dataset, Split::kTest, config.val, config.test) || changed;
  if (changed) dataset.digest = dataset_digest(dataset);
}

}  // namespace saccade
