#include "captioning/data/batch_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/base/random.h"

namespace saccade {

namespace {

bool longer(const PlanItem& a, const PlanItem& b) { return a.length > b.length; }

// The items of the images that an epoch takes, in their order.
std::vector<PlanItem> epoch_items(std::span<const PlanItem> items, const BatchPlanOptions& options,
                                  std::uint64_t epoch) {
  std::set<Index> left_out;
  for (std::size_t s = 0; s < options.shares.size(); ++s) {
    const PlanShare& share = options.shares[s];
    std::vector<Index> images;
    for (const PlanItem& item : items)
      if (item.image >= share.begin && item.image < share.end &&
          (images.empty() || images.back() != item.image))
        images.push_back(item.image);
    const Index kept = images_of_share(share.share, static_cast<Index>(images.size()));
    if (kept >= static_cast<Index>(images.size())) continue;
    // The order of items has the samples from 0 on.
    Random random({.seed = options.seed,
                   .stream = Stream::kShuffle,
                   .step = epoch,
                   .sample = ~static_cast<std::uint64_t>(s)});
    random.shuffle(images);
    left_out.insert(images.begin() + kept, images.end());
  }
  std::vector<PlanItem> out;
  std::copy_if(items.begin(), items.end(), std::back_inserter(out),
               [&](const PlanItem& item) { return !left_out.contains(item.image); });
  return out;
}

// One caption of every image, in turn: each image's captions come in an order that is shuffled anew
// after every round.
std::vector<PlanItem> one_per_image(std::span<const PlanItem> items,
                                    const BatchPlanOptions& options, std::uint64_t epoch) {
  std::vector<PlanItem> out;
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin + 1;
    while (end < items.size() && items[end].image == items[begin].image) ++end;
    const std::uint64_t count = end - begin;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), begin);
    Random random({.seed = options.seed,
                   .stream = Stream::kShuffle,
                   .step = epoch / count,
                   .sample = 1 + static_cast<std::uint64_t>(items[begin].image)});
    random.shuffle(order);
    out.push_back(items[order[epoch % count]]);
    begin = end;
  }
  return out;
}

// All captions of an image.
struct WholeImage {
  std::vector<PlanItem> items;
  double mean_length = 0;
};

std::vector<WholeImage> whole_images_of(std::span<const PlanItem> items) {
  std::vector<WholeImage> out;
  for (const PlanItem& item : items) {
    if (out.empty() || out.back().items[0].image != item.image) out.emplace_back();
    out.back().items.push_back(item);
  }
  for (WholeImage& image : out) {
    Index words = 0;
    for (const PlanItem& item : image.items) words += item.length;
    image.mean_length = static_cast<double>(words) / static_cast<double>(image.items.size());
  }
  return out;
}

// Cuts the images of a batch into shards of about `shard` captions: they are dealt like cards, as
// in deal().
Batch deal_images(std::span<const WholeImage> images, Index shard) {
  std::size_t captions = 0;
  for (const WholeImage& image : images) captions += image.items.size();
  const auto size = static_cast<std::size_t>(shard);
  Batch out;
  out.whole_images = true;
  out.shards.resize(std::min((captions + size - 1) / size, images.size()));
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<PlanItem>& items = out.shards[i % out.shards.size()];
    items.insert(items.end(), images[i].items.begin(), images[i].items.end());
  }
  for (std::vector<PlanItem>& items : out.shards)
    std::stable_sort(items.begin(), items.end(), longer);
  return out;
}

// Every epoch has the same number of batches, because they are cut by images.
std::vector<Batch> plan_whole_images(std::span<const PlanItem> items,
                                     const BatchPlanOptions& options, std::uint64_t epoch) {
  std::vector<WholeImage> images = whole_images_of(items);
  Random random({.seed = options.seed, .stream = Stream::kShuffle, .step = epoch});
  random.shuffle(images);
  const double captions_an_image =
      static_cast<double>(items.size()) / static_cast<double>(images.size());
  const auto batch = static_cast<std::size_t>(
      std::max(1.0, std::round(static_cast<double>(options.batch) / captions_an_image)));
  const std::size_t bucket = batch * static_cast<std::size_t>(options.bucket_batches);
  std::vector<Batch> out;
  for (std::size_t begin = 0; begin < images.size(); begin += bucket) {
    const auto sorted = std::span(images).subspan(begin, std::min(bucket, images.size() - begin));
    std::stable_sort(sorted.begin(), sorted.end(), [](const WholeImage& a, const WholeImage& b) {
      return a.mean_length > b.mean_length;
    });
    for (std::size_t i = 0; i < sorted.size(); i += batch)
      out.push_back(
          deal_images(sorted.subspan(i, std::min(batch, sorted.size() - i)), options.shard));
  }
  random.shuffle(out);
  return out;
}

}  // namespace

Index images_of_share(double share, Index images) {
  return std::min(images, std::max<Index>(1, std::lround(share * static_cast<double>(images))));
}

Index Batch::size() const {
  Index size = 0;
  for (const auto& shard : shards) size += static_cast<Index>(shard.size());
  return size;
}

Index Batch::longest() const {
  Index longest = 0;
  for (const auto& shard : shards) {
    for (const PlanItem& item : shard) longest = std::max(longest, item.length);
  }
  return longest;
}

Batch deal(std::vector<PlanItem> items, Index shard) {
  SACCADE_CHECK(shard > 0, "[batch plan] shard must be positive, got ", shard);
  std::stable_sort(items.begin(), items.end(), longer);
  const auto size = static_cast<std::size_t>(shard);
  Batch out;
  out.shards.resize((items.size() + size - 1) / size);
  for (std::size_t i = 0; i < items.size(); ++i) {
    out.shards[i % out.shards.size()].push_back(items[i]);
  }
  return out;
}

std::vector<Batch> plan_epoch(std::span<const PlanItem> all, const BatchPlanOptions& options,
                              Index epoch) {
  if (all.empty()) throw DataError("no captions to train on");
  SACCADE_CHECK(options.batch > 0 && options.shard > 0 && options.bucket_batches > 0 && epoch >= 0,
                "[batch plan] batch, shard and bucket_batches must be positive and epoch not ",
                "negative; got ", options.batch, ", ", options.shard, ", ", options.bucket_batches,
                ", ", epoch);
  const auto step = static_cast<std::uint64_t>(epoch);
  const std::vector<PlanItem> items = epoch_items(all, options, step);
  if (options.captions == CaptionsPerEpoch::kWholeImages)
    return plan_whole_images(items, options, step);
  std::vector<PlanItem> order = options.captions == CaptionsPerEpoch::kOnePerImage
                                    ? one_per_image(items, options, step)
                                    : std::vector<PlanItem>(items.begin(), items.end());
  Random random({.seed = options.seed, .stream = Stream::kShuffle, .step = step});
  random.shuffle(order);
  const auto batch = static_cast<std::size_t>(options.batch);
  const auto bucket = batch * static_cast<std::size_t>(options.bucket_batches);
  std::vector<Batch> out;
  for (std::size_t begin = 0; begin < order.size(); begin += bucket) {
    const std::size_t end = std::min(order.size(), begin + bucket);
    const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
    std::stable_sort(at(begin), at(end), longer);
    for (std::size_t i = begin; i < end; i += batch) {
      out.push_back(deal({at(i), at(std::min(end, i + batch))}, options.shard));
    }
  }
  random.shuffle(out);
  return out;
}

}  // namespace saccade
