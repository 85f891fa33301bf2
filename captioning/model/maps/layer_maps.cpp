#include "captioning/model/maps/layer_maps.h"

#include <algorithm>

namespace saccade {

std::vector<LayerMap> word_maps(const DecodedCaption& caption) {
  std::vector<LayerMap> maps;
  const auto count = static_cast<Index>(caption.words.size());
  for (std::size_t t = 0; t < caption.words.size(); ++t) {
    const std::vector<SelfAttention>& all = caption.words[t].self_attention;
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (t == 0)
        maps.push_back(
            {.layer = all[m].layer, .head = all[m].head, .weights = Tensor(Shape{count, count})});
      std::copy(all[m].weights.begin(), all[m].weights.end(),
                maps.at(m).weights.view().row(static_cast<Index>(t)));
    }
  }
  return maps;
}

}  // namespace saccade
