#include "captioning/learning/runs/word_rows.h"

#include <algorithm>

namespace saccade {

SharedWords::SharedWords(const Vocabulary& from, const Vocabulary& to)
    : from_size_(from.size()), to_size_(to.size()) {
  for (Index id = 0; id < to.size(); ++id) {
    const Index theirs = from.id(to.word(id));
    // What a vocabulary lacks has the id of <unk>.
    if (theirs != Vocabulary::kUnk || id == Vocabulary::kUnk)
      places_.push_back({.from = theirs, .to = id});
  }
}

std::vector<Index> SharedWords::extents_before(std::vector<Index> extents, int axis) const {
  extents[static_cast<std::size_t>(axis)] = from_size_;
  return extents;
}

void SharedWords::copy(std::span<const float> from, std::span<const Index> extents, int axis,
                       Real* to) const {
  Index outer = 1, inner = 1;  // the numbers of places before and behind the axis
  for (int a = 0; a < static_cast<int>(extents.size()); ++a) {
    if (a < axis) outer *= extents[static_cast<std::size_t>(a)];
    if (a > axis) inner *= extents[static_cast<std::size_t>(a)];
  }
  for (Index o = 0; o < outer; ++o)
    for (const Place& place : places_)
      std::copy_n(from.data() + (o * from_size_ + place.from) * inner, inner,
                  to + (o * to_size_ + place.to) * inner);
}

}  // namespace saccade
