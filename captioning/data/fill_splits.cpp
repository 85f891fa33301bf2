#include "captioning/data/fill_splits.h"

#include "core/base/listing.h"

namespace saccade {

void fill_splits(Dataset& dataset, const SplitShares& shares) {
  std::vector<NamedSplit> splits;
  for (const CaptionedImage& image : dataset.images) splits.push_back({image.id, image.split});
  std::vector<std::string> notes = fill_splits(splits, shares);
  if (notes.empty()) return;
  for (std::size_t i = 0; i < splits.size(); ++i) dataset.images[i].split = splits[i].split;
  dataset.notes.insert(dataset.notes.end(), notes.begin(), notes.end());
  dataset.digest = dataset_digest(dataset);
}

}  // namespace saccade
