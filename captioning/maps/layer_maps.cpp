#include "captioning/maps/layer_maps.h"

#include <algorithm>

namespace saccade {

std::vector<LayerMap> word_maps(const DecodedCaption& caption) {
  std::vector<LayerMap> maps;
  const auto count = static_cast<Index>(caption.words.size());
  for (std::size_t t = 0; t < caption.words.size(); ++t) {
    const std::vector<WordReads>& reads = caption.words[t].reads;
    for (std::size_t m = 0; m < reads.size(); ++m) {
      if (t == 0)
        maps.push_back({.layer = reads[m].layer,
                        .head = reads[m].head,
                        .weights = Tensor(Shape{count, count})});
      std::copy(reads[m].weights.begin(), reads[m].weights.end(),
                maps.at(m).weights.view().row(static_cast<Index>(t)));
    }
  }
  return maps;
}

}  // namespace saccade
