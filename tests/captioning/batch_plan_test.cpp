// Batch plans: everything appears once, similar lengths are together, and a plan is a function of
// (seed, epoch).
#include "captioning/data/batch_plan.h"

#include "captioning/learning/config/experiment_config.h"
#include "captioning/learning/training/cost_ahead.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

std::vector<PlanItem> make_items(Index images) {
  Random random({.seed = 5});
  std::vector<PlanItem> items;
  for (Index image = 0; image < images; ++image) {
    const Index captions = 3 + static_cast<Index>(random.below(4));
    for (Index caption = 0; caption < captions; ++caption) {
      items.push_back({image, caption, 4 + static_cast<Index>(random.below(20))});
    }
  }
  return items;
}

using Key = std::pair<Index, Index>;

std::vector<Key> keys_of(const std::vector<Batch>& plan) {
  std::vector<Key> out;
  for (const Batch& batch : plan) {
    for (const auto& shard : batch.shards) {
      for (const PlanItem& item : shard) out.emplace_back(item.image, item.caption);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every caption appears once per epoch, in full batches of equal shards") {
  const auto items = make_items(333);
  const BatchPlanOptions options = {.batch = 24, .shard = 8, .bucket_batches = 10};
  const auto plan = plan_epoch(items, options, 0);
  const auto keys = keys_of(plan);
  CHECK(keys.size() == items.size());
  CHECK(std::set<Key>(keys.begin(), keys.end()).size() == items.size());
  std::size_t partial = 0;
  Index padded = 0, real = 0;
  for (const Batch& batch : plan) {
    REQUIRE(batch.size() >= 1);
    partial += batch.size() < options.batch ? 1U : 0U;
    Index lowest = INT64_MAX, highest = 0;
    for (const auto& shard : batch.shards) {
      REQUIRE((!shard.empty() && static_cast<Index>(shard.size()) <= options.shard));
      REQUIRE(std::is_sorted(shard.begin(), shard.end(),
                             [](const auto& a, const auto& b) { return a.length > b.length; }));
      Index work = 0;
      for (const PlanItem& item : shard) work += item.length;
      lowest = std::min(lowest, work);
      highest = std::max(highest, work);
      real += work;
    }
    padded += batch.longest() * batch.size();
    // Captions are dealt like cards, so shards differ by at most the spread of lengths in the
    // batch.
    if (batch.size() == options.batch) REQUIRE(highest - lowest <= batch.longest());
  }
  CHECK(partial <= 1);
  CHECK(static_cast<double>(real) > 0.9 * static_cast<double>(padded));
}

TEST_CASE("plans depend on seed and epoch only") {
  const auto items = make_items(100);
  const BatchPlanOptions options = {.seed = 3, .batch = 16};
  CHECK(keys_of(plan_epoch(items, options, 2)) == keys_of(plan_epoch(items, options, 2)));
  CHECK(keys_of(plan_epoch(items, options, 2)) != keys_of(plan_epoch(items, options, 3)));
  CHECK(keys_of(plan_epoch(items, options, 2)) !=
        keys_of(plan_epoch(items, {.seed = 4, .batch = 16}, 2)));
}

TEST_CASE("one caption of every image per epoch, and all of them before one is repeated") {
  const auto items = make_items(100);
  const BatchPlanOptions options = {
      .seed = 3, .batch = 16, .captions = CaptionsPerEpoch::kOnePerImage};
  std::map<Index, std::vector<Index>> seen;
  for (Index epoch = 0; epoch < 12; ++epoch) {
    const auto keys = keys_of(plan_epoch(items, options, epoch));
    CHECK(keys.size() == 100);
    for (const auto& [image, caption] : keys) seen[image].push_back(caption);
  }
  std::map<Index, std::size_t> captions;
  for (const PlanItem& item : items) ++captions[item.image];
  for (const auto& [image, order] : seen) {
    REQUIRE(order.size() == 12);
    const std::size_t n = captions[image];
    for (std::size_t round = 0; round + n <= order.size(); round += n) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(round);
      REQUIRE(std::set<Index>(begin, begin + static_cast<std::ptrdiff_t>(n)).size() == n);
    }
  }
}

TEST_CASE(
    "whole images: the captions of an image are in one shard, and epochs have equally many "
    "batches") {
  const auto items = make_items(100);
  std::map<Index, std::size_t> captions;
  for (const PlanItem& item : items) ++captions[item.image];
  const BatchPlanOptions options = {.seed = 3,
                                    .batch = 24,
                                    .shard = 9,
                                    .bucket_batches = 4,
                                    .captions = CaptionsPerEpoch::kWholeImages};
  const auto plan = plan_epoch(items, options, 0);
  const auto keys = keys_of(plan);
  CHECK(keys.size() == items.size());
  CHECK(std::set<Key>(keys.begin(), keys.end()).size() == items.size());
  for (const Batch& batch : plan) {
    CHECK(batch.whole_images);
    for (const auto& shard : batch.shards) {
      REQUIRE(!shard.empty());
      CHECK(std::is_sorted(shard.begin(), shard.end(),
                           [](const auto& a, const auto& b) { return a.length > b.length; }));
      std::map<Index, std::size_t> here;
      for (const PlanItem& item : shard) ++here[item.image];
      for (const auto& [image, count] : here) CHECK(count == captions[image]);
    }
  }
  for (Index epoch = 1; epoch < 6; ++epoch) {
    const auto other = plan_epoch(items, options, epoch);
    CHECK(other.size() == plan.size());
    CHECK(keys_of(other) != keys);
    CHECK(keys_of(other) == keys_of(plan_epoch(items, options, epoch)));
  }
  // The nearest number of images: 64 captions are 13 images with 5 each, in shards of at most 16.
  std::vector<PlanItem> fives;
  for (Index i = 0; i < 65; ++i) fives.push_back({i / 5, i % 5, 4 + i % 7});
  const auto one =
      plan_epoch(fives, {.batch = 64, .shard = 16, .captions = CaptionsPerEpoch::kWholeImages}, 0);
  REQUIRE(one.size() == 1);
  CHECK(one[0].shards.size() == 5);
  for (const auto& shard : one[0].shards) CHECK(shard.size() <= 15);
  // An image with more captions than a shard may have is a shard by itself.
  const auto large =
      plan_epoch(fives, {.batch = 10, .shard = 2, .captions = CaptionsPerEpoch::kWholeImages}, 0);
  for (const Batch& batch : large)
    CHECK(batch.shards.size() == static_cast<std::size_t>(batch.size()) / 5);
}

TEST_CASE("plans refuse options that make no sense") {
  CHECK_THROWS_AS(plan_epoch({}, {}, 0), DataError);
  const auto items = make_items(3);
  CHECK_THROWS_AS(plan_epoch(items, {.batch = 0}, 0), ShapeError);
  CHECK_THROWS_AS(plan_epoch(items, {.shard = 0}, 0), ShapeError);
  CHECK_THROWS_AS(plan_epoch(items, {}, -1), ShapeError);
}

// Work that takes long is announced with what makes it so.
using Catch::Matchers::Contains;

TEST_CASE("drawing many images is announced, with the key that asks for most") {
  DataConfig config;
  CHECK(drawing_cost(config).empty());
  config.scenes.test = 1'000'000;
  CHECK_THAT(drawing_cost(config), Contains("making 1004300 scenes takes about 4000 MB and 30 s") &&
                                       Contains("lower data.scenes.test (1000000)"));
  config.scenes.test = 0;
  config.scenes.train = 300'000;
  CHECK_THAT(drawing_cost(config), Contains("lower data.scenes.train (300000)"));
  config.limit_train = 100;  // nothing beyond it is drawn
  CHECK(drawing_cost(config).empty());
  config.type = DataKind::kSequences;
  config.sequences.test = 200'000;
  CHECK_THAT(drawing_cost(config), Contains("texts") && Contains("lower data.sequences.test"));
  config.type = DataKind::kFolder;
  CHECK(drawing_cost(config).empty());
}

TEST_CASE("attention among many regions is announced") {
  ExperimentConfig config;
  config.train.batch = 8;
  GridShape grid;
  grid.rows = grid.cols = 62;
  RefinementConfig& refine = config.encoder.refine;
  refine.layers = 1;
  const auto cost = [&](const std::string& type, NeighbourKind neighbours) {
    refine.type = type;
    refine.neighbours = neighbours;
    return refinement_cost(config, grid);
  };
  using enum NeighbourKind;
  CHECK_THAT(cost("graph", kCosine), Contains("62 x 62 regions, and encoder.refine.type graph") &&
                                         Contains("100 million pairs in an update"));
  CHECK_FALSE(cost("graph", kEuclidean).empty());
  CHECK_FALSE(cost("self_attention", kEight).empty());
  CHECK(cost("graph", kEight).empty());
  CHECK(cost("window", kEight).empty());
  grid.rows = grid.cols = 14;
  CHECK(cost("self_attention", kEight).empty());
  grid.rows = grid.cols = 62;
  refine.layers = 0;
  CHECK(cost("self_attention", kEight).empty());
}

}  // namespace saccade
