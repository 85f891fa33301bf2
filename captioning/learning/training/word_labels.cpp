#include "captioning/learning/training/word_labels.h"

#include <algorithm>
#include <set>

namespace saccade {

void add_word_labels(const TrainingSet& set, const Batch& plan, TrainBatch& batch) {
  std::set<int> all;
  for (const std::vector<PlanItem>& shard : plan.shards)
    for (const PlanItem& item : shard) {
      const std::vector<int>& words = set.image_words(item.image);
      all.insert(words.begin(), words.end());
    }
  const std::vector<int> words(all.begin(), all.end());
  for (TrainShard& shard : batch.shards) {
    shard.labels.words = words;
    shard.labels.present.assign(static_cast<std::size_t>(shard.inputs.count()) * words.size(), 0);
    for (std::size_t i = 0; i < shard.images.size(); ++i) {
      const auto input = static_cast<std::size_t>(shard.captions.image(static_cast<Index>(i)));
      for (const int word : set.image_words(shard.images[i])) {
        const auto place = std::lower_bound(words.begin(), words.end(), word) - words.begin();
        shard.labels.present[input * words.size() + static_cast<std::size_t>(place)] = 1;
      }
    }
  }
}

std::vector<double> word_shares(const TrainingSet& set, Index vocabulary) {
  std::vector<double> shares(static_cast<std::size_t>(vocabulary), 0);
  double images = 0;
  Index last = -1;
  for (const PlanItem& item : set.items()) {  // the items of an image stand next to each other
    if (item.image == last) continue;
    last = item.image;
    ++images;
    for (const int word : set.image_words(item.image)) ++shares[static_cast<std::size_t>(word)];
  }
  for (double& share : shares) share /= images;
  return shares;
}

}  // namespace saccade
