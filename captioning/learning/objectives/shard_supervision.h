// All supervision of a shard's attention: by boxes and by a localizer.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "captioning/learning/objectives/box_supervision.h"
#include "captioning/learning/objectives/localizer_supervision.h"
#include "captioning/model/decoders/decoder.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// The weights of what is added to the loss of a caption; 0 where nothing is.
struct SupervisionWeights {
  double boxes = 0;      // times -log of the weight inside a word's boxes (box_supervision.h)
  double localizer = 0;  // times the divergence from the localizer's map, and with it what the
                         // localizer itself learns from (localizer_supervision.h)
};

// What supervises the words of a shard. Each is read only where its weight is not 0.
struct ShardTargets {
  std::span<const AttentionTarget> boxes{};
  const WordLocalizer* localizer = nullptr;
  const WordLabels* labels = nullptr;  // of the shard's images
};

// What a shard consists of. A caption has `samples` rows, one after the other.
struct SupervisedShard {
  const EncodedImages& images;
  const PackedCaptions& rows;
  Index samples = 1;
};

class ShardSupervision {
 public:
  ShardSupervision() = default;
  // Locates the words; `targets` must live until compute_costs().
  ShardSupervision(Tape& tape, const SupervisionWeights& weights, const ShardTargets& targets,
                   const SupervisedShard& shard);

  // The localizer's maps of the words, one entry per step; empty without a localizer.
  const std::vector<LocatedStep>& located() const { return located_; }
  // Computes the costs of the maps of `output`.
  void compute_costs(const SequenceOutput& output);

  // What is added to the loss, where `share` is the weight of a row.
  std::vector<Var> terms(double share) const;
  // The costs of supervised maps; none where the weight is 0.
  const std::optional<BoxSupervision>& boxes() const { return boxes_; }
  const std::optional<LocalizerSupervision>& localized() const { return localized_; }
  // What the localizer itself learns from (LocalizedWords::costs), summed over the images, and
  // their number; 0 without a localizer.
  double localizer_cost() const;
  Index localized_images() const { return localizer_costs_ ? localizer_costs_.shape().size() : 0; }

 private:
  SupervisionWeights weights_;
  ShardTargets targets_;
  std::vector<LocatedStep> located_;
  std::optional<BoxSupervision> boxes_;
  std::optional<LocalizerSupervision> localized_;
  Var localizer_costs_;  // by image
  Index samples_ = 1;
  double rows_per_image_ = 1;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
