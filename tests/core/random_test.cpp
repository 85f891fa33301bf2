#include "core/base/random.h"

#include <numbers>

#include "tests/support/catch.h"

namespace saccade {

// The known answers come from the Random123 distribution (Salmon et al.).
TEST_CASE("philox gives the published values") {
  using A4 = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == A4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        A4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST_CASE("random numbers depend on every part of the key, and on nothing else") {
  const RandomKey base{1, Stream::kTest, 2, 3};
  CHECK(Random(base).bits() == Random(base).bits());
  std::set<std::uint32_t> seen;
  for (const RandomKey& key :
       {base, RandomKey{2, Stream::kTest, 2, 3}, RandomKey{1, Stream::kInit, 2, 3},
        RandomKey{1, Stream::kTest, 3, 3}, RandomKey{1, Stream::kTest, 2, 4}})
    seen.insert(Random(key).bits());
  CHECK(seen.size() == 5);
}

TEST_CASE("uniform and normal have the right moments") {
  Random random({7, Stream::kTest, 0, 0});
  const int n = 200000;
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(), z = random.normal();
    REQUIRE(u >= 0);
    REQUIRE(u < 1);
    sum += u, squares += u * u, normal_sum += z, normal_squares += z * z;
  }
  CHECK(std::abs(sum / n - 0.5) < 0.003);
  CHECK(std::abs(squares / n - 1.0 / 3) < 0.003);
  CHECK(std::abs(normal_sum / n) < 0.01);
  CHECK(std::abs(normal_squares / n - 1) < 0.02);
}

TEST_CASE("Gumbel numbers have the right moments") {
  Random random({7, Stream::kTest, 2, 0});
  const int n = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double g = random.gumbel();
    REQUIRE(std::isfinite(g));
    sum += g, squares += g * g;
  }
  const double mean = sum / n;
  CHECK(std::abs(mean - std::numbers::egamma) < 0.01);
  CHECK(std::abs(squares / n - mean * mean - std::numbers::pi * std::numbers::pi / 6) < 0.03);
}

TEST_CASE("shuffle keeps every element") {
  std::vector<int> items{1, 2, 3, 4, 5, 6, 7, 8};
  Random random({7, Stream::kTest, 1, 0});
  random.shuffle(items);
  CHECK(std::set<int>(items.begin(), items.end()).size() == 8);
  CHECK(items != std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
}

}  // namespace saccade
