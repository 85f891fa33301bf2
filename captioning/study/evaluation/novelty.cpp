#include "captioning/study/evaluation/novelty.h"

#include <algorithm>

#include "core/parallel/parallel.h"

namespace saccade {

TrainingCaptions::TrainingCaptions(const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const Index i : images_of(dataset, Split::kTrain)) {
    const auto& captions = dataset.images[static_cast<std::size_t>(i)].captions;
    texts.insert(texts.end(), captions.begin(), captions.end());
  }
  constexpr Index kBlock = 256;  // captions per task
  parallel::for_blocks(static_cast<Index>(texts.size()), kBlock, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      std::string& text = texts[static_cast<std::size_t>(i)];
      text = join_words(tokenize(text));
    }
  });
  texts_.insert(std::make_move_iterator(texts.begin()), std::make_move_iterator(texts.end()));
}

double TrainingCaptions::novel_share(std::span<const Words> captions) const {
  if (captions.empty()) return 0;
  const auto novel = std::count_if(captions.begin(), captions.end(), [&](const Words& words) {
    return !texts_.contains(join_words(words));
  });
  return static_cast<double>(novel) / static_cast<double>(captions.size());
}

}  // namespace saccade
