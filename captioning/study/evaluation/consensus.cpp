#include "captioning/study/evaluation/consensus.h"

#include <utility>

#include "captioning/study/evaluation/counted_texts.h"
#include "core/base/error.h"

namespace saccade {

CaptionConsensus::CaptionConsensus(std::span<const std::vector<std::string>> captions)
    : counted_([&] {
        WordNumbers numbers;
        return count_texts(captions, numbers);
      }()),
      frequencies_(DocumentFrequencies::count(counted_)) {}

CaptionConsensus::Place CaptionConsensus::of(std::span<const Index> images) const {
  std::vector<Place> places;
  std::vector<CiderVector> vectors;
  for (const Index i : images) {
    const auto image = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < counted_[image].size(); ++k) {
      places.push_back({image, k});
      vectors.push_back(cider_vector(counted_[image][k], frequencies_));
    }
  }
  SACCADE_ASSERT(!places.empty(), "a consensus of no captions");
  if (places.size() == 1) return places[0];
  Place best;
  double highest = -1;
  for (std::size_t c = 0; c < places.size(); ++c) {
    // It goes to the front, so that the others stand together, and then back, so that their order
    // stays.
    std::swap(vectors[0], vectors[c]);
    const double score = score_cider(vectors[0], std::span(vectors).subspan(1)).cider_d;
    std::swap(vectors[0], vectors[c]);
    if (score > highest) {
      highest = score;
      best = places[c];
    }
  }
  return best;
}

}  // namespace saccade
