// Kendall's tau by hand, and against a loop over all pairs.
#include "captioning/scoring/statistics/kendall.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

using Values = std::vector<double>;

bool near(std::optional<double> a, double b) { return a && std::abs(*a - b) <= 1e-12; }

KendallCounts count_all_pairs(const Values& x, const Values& y) {
  KendallCounts out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool tied_x = x[i] == x[j], tied_y = y[i] == y[j];
      ++out.pairs;
      out.tied_x += tied_x ? 1 : 0;
      out.tied_y += tied_y ? 1 : 0;
      out.tied_both += tied_x && tied_y ? 1 : 0;
      if (tied_x || tied_y) continue;
      ++((x[i] < x[j]) == (y[i] < y[j]) ? out.concordant : out.discordant);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("tau by hand") {
  const KendallCounts plain = count_kendall(Values{1, 2, 3, 4, 5}, Values{3, 4, 1, 2, 5});
  CHECK(plain.concordant == 6);
  CHECK(plain.discordant == 4);
  CHECK(near(tau_b(plain), 0.2));
  CHECK(near(tau_c(plain), 0.2));  // equal without ties: n = m
  // Of 15 pairs, 3 are tied in x, 7 in y and 1 in both; 5 agree and 1 disagrees.
  const KendallCounts ties = count_kendall(Values{1, 1, 2, 2, 3, 3}, Values{1, 2, 1, 2, 2, 2});
  CHECK(ties.pairs == 15);
  CHECK(ties.tied_x == 3);
  CHECK(ties.tied_y == 7);
  CHECK(ties.tied_both == 1);
  CHECK(ties.concordant == 5);
  CHECK(ties.discordant == 1);
  CHECK(ties.distinct_x == 3);
  CHECK(ties.distinct_y == 2);
  CHECK(near(tau_b(ties), 4 / std::sqrt(12.0 * 8)));
  CHECK(near(tau_c(ties), 2 * 2 * 4 / (36.0 * 1)));
  // As far apart as scales of 3 and 2 steps allow: tau-c reaches 1 only for an even number of
  // steps.
  const KendallCounts steps = count_kendall(Values{1, 1, 2, 2}, Values{-7, -7, 8, 8});
  CHECK(*tau_b(steps) == 1);
  CHECK(*tau_c(steps) == 1);
}

TEST_CASE("tau equals the count over all pairs, with many ties and with few") {
  for (const std::uint64_t different : {2, 3, 7, 50, 100000}) {
    for (std::uint64_t length = 1; length < 130; length += 7) {
      Random random({1, Stream::kTest, different, length});
      Values x, y;
      for (std::uint64_t i = 0; i < length; ++i) {
        x.push_back(static_cast<double>(random.below(different)));
        y.push_back(std::floor(0.5 * x.back()) + static_cast<double>(random.below(different)));
      }
      const KendallCounts fast = count_kendall(x, y), slow = count_all_pairs(x, y);
      REQUIRE(fast.pairs == slow.pairs);
      REQUIRE(fast.concordant == slow.concordant);
      REQUIRE(fast.discordant == slow.discordant);
      REQUIRE(fast.tied_x == slow.tied_x);
      REQUIRE(fast.tied_y == slow.tied_y);
      REQUIRE(fast.tied_both == slow.tied_both);
    }
  }
}

TEST_CASE("tau of long, equal, opposite and unusable vectors") {
  Values up, down, level;
  for (int i = 0; i < 300000; ++i) {
    up.push_back(i);
    down.push_back(-i);
    level.push_back(1);
  }
  CHECK(count_kendall(up, down).discordant == std::int64_t{300000} * 299999 / 2);  // above 2^32
  CHECK(*tau_b(count_kendall(up, up)) == 1);
  CHECK(*tau_b(count_kendall(up, down)) == -1);
  CHECK_FALSE(tau_b(count_kendall(up, level)));
  CHECK_FALSE(tau_c(count_kendall(level, up)));
  CHECK_FALSE(tau_b(count_kendall({}, {})));
  CHECK_FALSE(tau_c(count_kendall(Values{1}, Values{2})));
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(*tau_b(count_kendall(Values{-infinity, 0, infinity}, Values{1, 2, 3})) == 1);
  CHECK(count_kendall(Values{0.0, -0.0}, Values{1, 2}).tied_x == 1);
  CHECK_THROWS_AS(count_kendall(Values{1, 2}, Values{1}), DataError);
  CHECK_THROWS_AS(count_kendall(Values{1, std::nan("")}, Values{1, 2}), DataError);
}

}  // namespace saccade
