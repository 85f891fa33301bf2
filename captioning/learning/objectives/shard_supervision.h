// All supervision of a shard's attention: by boxes and by a localizer.
//
// By boxes, the weight of a noun's map should lie inside the boxes of what the noun names (Liu et
// al., AAAI 2017, "Attention Correctness in Neural Image Captioning"). By a localizer, the map of a
// word should be that of a model that knows the word, learns from captions where words are, and
// does so beside the captioner.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "captioning/model/decoders/decoder.h"
#include "captioning/model/decoders/localized_words.h"
#include "core/base/real.h"

namespace saccade {

// The regions on which attention should lie at a word, or a piece of a word, of a training caption.
struct AttentionTarget {
  Index caption = 0;         // its place in the shard
  Index word = 0;            // its place among the words or pieces of the caption
  std::vector<Real> inside;  // [L], the share of each region that is inside the word's boxes
};

inline namespace SACCADE_NUMERIC {

// Which maps of a shard are supervised by the targets.
struct SupervisedMaps {
  std::span<const AttentionTarget> targets;
  Index samples = 1;  // rows of each caption in the maps, one after the other
};

// The costs of the maps of a shard: for each supervised word and row, -log of the weight inside the
// word's boxes (ops::inside_cost). `weights` are SequenceOutput::weights().
class BoxSupervision {
 public:
  BoxSupervision(std::span<const Var> weights, const SupervisedMaps& supervised);

  // What is added to the loss if `weight` is the weight of every word's cost; empty where there are
  // no costs.
  std::vector<Var> terms(double weight) const;
  double cost() const { return cost_; }   // the sum over words and rows
  Index words() const { return words_; }  // the number of words and rows with a cost

 private:
  std::vector<Var> costs_;  // of steps that have costs, [R_t] each
  double cost_ = 0;
  Index words_ = 0;
};

// The localizer's maps of the target words of one step.
struct LocatedStep {
  std::vector<Real> maps;    // [R, L]
  std::vector<Real> shares;  // [R], how strongly the picture predicts the word (locate())
  Index regions = 0;

  ConstView view() const { return {maps.data(), {static_cast<Index>(shares.size()), regions}}; }
};
// The located words of captions, one entry per step.
std::vector<LocatedStep> located(const PackedCaptions& captions, const LocalizedWords& words);

// The costs of the maps of a shard: for each word, the divergence of its map from the localizer's
// (ops::map_divergence), times how strongly its picture predicts it.
class LocalizerSupervision {
 public:
  // `weights` are SequenceOutput::weights() of the captions whose words are located.
  LocalizerSupervision(std::span<const Var> weights, std::span<const LocatedStep> words);

  // What is added to the loss if a word's divergence has this weight; empty where there are none.
  std::vector<Var> terms(double weight) const;
  double cost() const { return cost_; }    // the weighted divergences, summed over words and rows
  double words() const { return words_; }  // the sum of the words' weights

 private:
  std::vector<Var> costs_;                  // of steps that have costs, [R_t] each
  std::vector<std::vector<Real>> weights_;  // of their rows
  double cost_ = 0, words_ = 0;
};

// The weights of what is added to the loss of a caption; 0 where nothing is.
struct SupervisionWeights {
  double boxes = 0;      // times -log of the weight inside a word's boxes
  double localizer = 0;  // times the divergence from the localizer's map, and with it what the
                         // localizer itself learns from
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
