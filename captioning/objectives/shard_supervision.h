// Everything that tells the attention of a shard where to look: boxes, a localizer, and looks that
// know the word.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "captioning/decoders/decoder.h"
#include "captioning/objectives/box_supervision.h"
#include "captioning/objectives/informed_supervision.h"
#include "captioning/objectives/localizer_supervision.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What is added to the loss of a caption, 0 for what there is none of; `step`: of the look so many
// words later.
struct SupervisionWeights {
  double boxes = 0;      // times -log of the weight inside a word's boxes (box_supervision.h)
  double localizer = 0;  // times the divergence from the localizer's map, and with it what the
                         // localizer itself learns from (localizer_supervision.h)
  double prophet = 0;    // times the distance from the map of a look that knows the word, and with
                         // it once -log p of the word from that look (informed_supervision.h)
  double cyclical = 0;   // times -log p of the word from what a localizer that knows it chooses
  Index step = 0;
};

// Where the words of a shard should look; read where the weights ask for it.
struct ShardTargets {
  std::span<const LookTarget> boxes{};
  const WordLocalizer* localizer = nullptr;
  const WordLabels* labels = nullptr;  // of the shard's images
  std::span<const InformedLook> informed{};
};

// What a shard is made of. A caption has `samples` rows, one after the other.
struct SupervisedShard {
  const EncodedImages& images;
  const PackedCaptions& rows;
  Index samples = 1;
};

class ShardSupervision {
 public:
  ShardSupervision() = default;
  // Finds the words' places; `targets` must live until judge().
  ShardSupervision(Tape& tape, const SupervisionWeights& weights, const ShardTargets& targets,
                   const SupervisedShard& shard);

  // Where the localizer finds the words, by step; empty without one.
  const std::vector<LocatedStep>& located() const { return located_; }
  // Costs the maps of what came out.
  void judge(const SequenceOutput& output);

  // The looks that Decoder::sequence is to make besides, of the rows' images; `layout` is that of
  // the memory that the decoder prepared of the images.
  static std::vector<PreparedLook> looks(Tape& tape, const SupervisionWeights& weights,
                                         const ShardTargets& targets, const EncodedImages& images,
                                         const MemoryLayout& layout, std::span<const int> rows);

  // What is added to the loss, in which a row counts `share`.
  std::vector<Var> terms(double share) const;
  // The costs of supervised looks; none where the weights ask for none.
  const std::optional<BoxSupervision>& boxes() const { return boxes_; }
  const std::optional<LocalizerSupervision>& localized() const { return localized_; }
  const std::optional<InformedSupervision>& prophet() const { return prophet_; }
  const std::optional<InformedSupervision>& cyclical() const { return cyclical_; }

 private:
  SupervisionWeights weights_;
  ShardTargets targets_;
  std::vector<LocatedStep> located_;
  std::optional<BoxSupervision> boxes_;
  std::optional<LocalizerSupervision> localized_;
  std::optional<InformedSupervision> prophet_, cyclical_;
  Var localizer_costs_;  // by image
  Index samples_ = 1;
  double rows_per_image_ = 1;
};

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
