// The random numbers of draws: every draw of every sample has numbers of its own.
#include <set>

#include "core/attention/draws.h"
#include "tests/support/catch.h"

namespace saccade {

TEST_CASE("no two draws share random numbers, however many a caption has") {
  // Up to what the limits allow: 256 heads, 64 layers and 1,000 words.
  std::set<std::uint64_t> keys;
  std::size_t count = 0;
  for (const Index sample : {0, 1, 2, 3, 255, 256, 65535, 65536, 1 << 24})
    for (const Index draw : {0, 1, 65533, 65534, 65535, 65536, 131070, 131071, 1 << 20, 16384000}) {
      keys.insert(glimpse_key({1, Stream::kAttention, 0, 0}, sample, draw).sample);
      ++count;
    }
  CHECK(keys.size() == count);
  // The coin of a sample has its number 0.
  for (const std::uint64_t sample : {0, 1, 2, 65536}) CHECK(keys.count(sample << 16) == 0);
}

TEST_CASE("the first 65,535 draws of a caption keep the numbers that they always had") {
  const RandomKey key{1, Stream::kAttention, 4, 30};
  CHECK(glimpse_key(key, 0, 0).sample == (30U << 16) + 1);
  CHECK(glimpse_key(key, 2, 7).sample == (32U << 16) + 8);
  CHECK(glimpse_key(key, 2, 65534).sample == (32U << 16) + 65535);
  CHECK(glimpse_key(key, 2, 65534).step == 4);
}

TEST_CASE("a caption's later draws are not its neighbour's first ones") {
  const std::vector<Real> even(64, Real{1} / 64);
  std::vector<int> late, first;
  for (Index draw = 0; draw < 40; ++draw) {
    TrainingSampler caption({1, Stream::kAttention, 0, 5}, {.expectation_share = 0, .captions = 1}),
        next({1, Stream::kAttention, 0, 6}, {.expectation_share = 0, .captions = 1});
    late.push_back(caption.choose({.weights = even, .draw = draw + 65536}).region);
    first.push_back(next.choose({.weights = even, .draw = draw}).region);
  }
  CHECK(late != first);
}

}  // namespace saccade
