// The weights of words, where a run starts from a checkpoint that has another vocabulary.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "captioning/model/vocabulary/vocabulary.h"
#include "core/base/real.h"

namespace saccade {

// By the name of a parameter, the axis along which it has a place for each word.
using WordAxes = std::map<std::string, int>;

// The words that two vocabularies share, the special ones among them.
class SharedWords {
 public:
  SharedWords(const Vocabulary& from, const Vocabulary& to);

  // Without the special words: those of `to`, and how many of them `from` has, too.
  Index words() const { return to_size_ - Vocabulary::kSpecials; }
  Index known() const { return static_cast<Index>(places_.size()) - Vocabulary::kSpecials; }

  // The extents that an array of these extents has with the vocabulary `from`.
  std::vector<Index> extents_before(std::vector<Index> extents, int axis) const;
  // Copies what an array `from` has at the shared words to their places in `to`, an array of these
  // extents. Its other places stay as they are.
  void copy(std::span<const float> from, std::span<const Index> extents, int axis, float* to) const;

 private:
  struct Place {
    Index from, to;
  };
  Index from_size_, to_size_;
  std::vector<Place> places_;
};

}  // namespace saccade
