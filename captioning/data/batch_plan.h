// Which captions an epoch trains on, and in which batches: a function of (seed, epoch) alone.
// Batches are cut into shards of equal work, each sorted longest first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "captioning/data/captions_per_epoch.h"
#include "core/base/real.h"

namespace saccade {

// A caption that may be trained on.
struct PlanItem {
  Index image = 0;    // index into Dataset::images
  Index caption = 0;  // index into that image's captions
  Index length = 0;   // words
};

// Images of which an epoch trains on a share: those from `begin` to before `end`.
struct PlanShare {
  Index begin = 0, end = 0;
  double share = 1;  // above 0, at most 1
};

struct BatchPlanOptions {
  std::uint64_t seed = 1;
  // The number of captions per batch (the last one may have fewer) and the largest number per
  // shard. With whole images, a batch has as many images as have about so many captions.
  Index batch = 64;
  Index shard = 8;
  // How many batches of captions are sorted by length together. Above 1, the captions of a batch
  // have similar lengths and take fewer steps. But where length and meaning are related (a short
  // caption is of a picture with one thing), such batches pull the weights to and fro, and learning
  // is slower.
  Index bucket_batches = 1;
  CaptionsPerEpoch captions = CaptionsPerEpoch::kAll;
  // Of n images that have items, an epoch takes images_of_share(share, n), drawn anew for every
  // epoch; of images that no share concerns, all.
  std::vector<PlanShare> shares{};
};

// Of how many images an epoch trains on: round(share * images), at least one of some.
Index images_of_share(double share, Index images);

struct Batch {
  std::vector<std::vector<PlanItem>> shards;
  // All captions of an image that are trained on are in one shard and share one input.
  bool whole_images = false;

  Index size() const;
  Index longest() const;  // words
};

// The batches of an epoch, counted from 0. The items of one image must stand next to each other.
// Throws DataError when there are no items, and ShapeError when an option is not positive.
std::vector<Batch> plan_epoch(std::span<const PlanItem> all, const BatchPlanOptions& options,
                              Index epoch);

// Cuts items into shards of at most `shard`. They are sorted by length and dealt like cards, so
// that all shards have equal work; each shard is sorted longest first.
Batch deal(std::vector<PlanItem> items, Index shard);

}  // namespace saccade
