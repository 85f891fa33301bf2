// Whether captions are new, or repeat what a model was trained on.
#pragma once

#include <span>
#include <string>
#include <unordered_set>

#include "captioning/data/dataset.h"
#include "captioning/scoring/words/tokenizer.h"

namespace saccade {

// The captions of a data set's training split. They are compared word by word (tokenizer.h),
// whatever their length.
class TrainingCaptions {
 public:
  explicit TrainingCaptions(const Dataset& dataset);

  bool empty() const { return texts_.empty(); }  // whether there is no training split
  // The share of these captions that equal no training caption; 0 if there are none.
  double novel_share(std::span<const Words> captions) const;

 private:
  std::unordered_set<std::string> texts_;
};

}  // namespace saccade
