// A data set as each member of an ensemble reads it.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "captioning/learning/runs/checkpoint_content.h"
#include "captioning/model/decoding/ensemble.h"

namespace saccade {

// Members that see the same share one object of inputs.
class MemberInputs {
 public:
  // Reads the images for all members; the data set is that of the first one's config. Members and
  // data must outlive it. Throws what DatasetInputs throws.
  MemberInputs(std::span<const LoadedModel> members, const LoadedData& data,
               const DatasetInputs::Progress& progress, const std::vector<Index>& images);
  EnsembleInputs all() const { return EnsembleInputs(of_member_); }

 private:
  std::deque<DatasetInputs> inputs_;
  std::vector<const DatasetInputs*> of_member_;
};

}  // namespace saccade
