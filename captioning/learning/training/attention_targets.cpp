#include "captioning/learning/training/attention_targets.h"

#include <algorithm>

#include "core/base/error.h"

namespace saccade {

AttentionTargets::AttentionTargets(const TrainingSet& set, const DatasetInputs& inputs,
                                   const NounSource& source, const GridSize& grid)
    : inputs_(&inputs), grid_(grid) {
  Index last = -1;
  for (const PlanItem& item : set.items()) {
    if (!source.knows(item.image)) continue;
    const auto image = static_cast<std::size_t>(item.image);
    if (image >= nouns_of_.size()) nouns_of_.resize(image + 1);
    if (static_cast<std::size_t>(item.caption) >= nouns_of_[image].size())
      nouns_of_[image].resize(static_cast<std::size_t>(item.caption) + 1);
    const std::vector<std::string> words = set.tokens(item);
    for (NamedObjects& noun : source.nouns(item.image, words, inputs.geometry(item.image))) {
      if (noun.boxes.empty()) continue;
      const TrainingSet::Places places = set.places_of(item, noun.word);
      nouns_of_[image][static_cast<std::size_t>(item.caption)].push_back(
          {places, std::move(noun.boxes)});
      ++nouns_;
    }
    if (item.image != last) ++images_;
    last = item.image;
  }
  if (nouns_ == 0)
    throw UsageError(
        "objective.supervision.boxes: no word of a training caption has a box; give boxes of "
        "training photos with data.boxes, or set it to 0");
}

void AttentionTargets::add(std::span<const PlanItem> items, TrainShard& shard) const {
  shard.targets.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto image = static_cast<std::size_t>(items[i].image);
    const auto caption = static_cast<std::size_t>(items[i].caption);
    if (image >= nouns_of_.size() || caption >= nouns_of_[image].size()) continue;
    const std::vector<Noun>& nouns = nouns_of_[image][caption];
    if (nouns.empty()) continue;
    // What was not read has not been changed, either.
    Geometry geometry =
        shard.seen[static_cast<std::size_t>(shard.captions.image(static_cast<Index>(i)))];
    if (geometry.original_width == 0) geometry = inputs_->geometry(items[i].image);
    const AttentionGrid cells = cells_of({grid_}, geometry);
    for (const Noun& noun : nouns) {
      const std::vector<Rect> seen = seen_boxes(noun.boxes, geometry);
      if (seen.empty()) continue;
      const std::vector<Real> inside = BoxedWord(cells, seen).cell_shares();
      // Boxes of regions may all lie beside the thing; then there is no right place.
      if (std::all_of(inside.begin(), inside.end(), [](Real share) { return share == 0; }))
        continue;
      for (Index place = noun.places.begin; place < noun.places.end; ++place)
        shard.targets.push_back(
            {.caption = static_cast<Index>(i), .word = place, .inside = inside});
    }
  }
}

}  // namespace saccade
