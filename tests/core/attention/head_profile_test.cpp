// Heads are named for what their maps do, tested with maps of every kind that are made by hand.
#include "core/attention/head_profile.h"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade {
namespace {

Tensor map_of(Index rows, Index columns, const std::function<double(Index, Index)>& weight) {
  Tensor map({rows, columns});
  for (Index t = 0; t < rows; ++t)
    for (Index l = 0; l < columns; ++l) map[t * columns + l] = static_cast<Real>(weight(t, l));
  return map;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

TEST_CASE("one-hot maps have one share and no entropy") {
  constexpr Index n = 6;
  const auto previous = profile_of(
      map_of(n, n, [](Index t, Index l) { return l == std::max<Index>(t - 1, 0); }).view());
  CHECK(previous.previous == 1);
  CHECK(previous.entropy == 0);
  CHECK(near(previous.first, 1.0 / 5));  // the previous position of row 1 is the first one
  CHECK(near(previous.diagonal, 1.0 / 6));
  CHECK(kind_of(previous) == HeadKind::kPrevious);

  const auto next =
      profile_of(map_of(n, n, [](Index t, Index l) { return l == std::min(t + 1, n - 1); }).view());
  CHECK(next.next == 1);
  CHECK(kind_of(next) == HeadKind::kNext);

  const auto first = profile_of(map_of(n, n, [](Index, Index l) { return l == 0; }).view());
  CHECK(first.first == 1);
  CHECK(kind_of(first) == HeadKind::kFirst);

  const auto diagonal = profile_of(map_of(n, n, [](Index t, Index l) { return l == t; }).view());
  CHECK(diagonal.diagonal == 1);
  CHECK(diagonal.first == 0);
  CHECK(kind_of(diagonal) == HeadKind::kDiagonal);
}

TEST_CASE("a uniform map is broad, and one that is uniform on few positions is mixed") {
  const auto even = profile_of(map_of(5, 8, [](Index, Index) { return 0.125; }).view());
  CHECK(near(even.entropy, 1));
  for (const double share : {even.previous, even.next, even.first, even.diagonal})
    CHECK(near(share, 0.125));
  CHECK(kind_of(even) == HeadKind::kBroad);
  // Two of sixteen: entropy log 2 / log 16.
  const auto two = profile_of(map_of(5, 16, [](Index, Index l) { return l >= 14; }).view());
  CHECK(near(two.entropy, 0.25));
  CHECK(kind_of(two) == HeadKind::kMixed);
}

TEST_CASE("the thresholds are those of the header") {
  const auto kind = [](double share) {
    return kind_of({.previous = share, .entropy = 0.5, .maps = 1});
  };
  CHECK(kind(0.6) == HeadKind::kPrevious);
  CHECK(kind(0.599) == HeadKind::kMixed);
  CHECK(kind_of({.first = 0.61, .diagonal = 0.7, .entropy = 0.95}) == HeadKind::kDiagonal);
  CHECK(kind_of({.next = 0.7, .diagonal = 0.7}) == HeadKind::kNext);
  CHECK(kind_of({.first = 0.3, .entropy = 0.9}) == HeadKind::kBroad);
  CHECK(kind_of({.first = 0.3, .entropy = 0.89}) == HeadKind::kMixed);
}

TEST_CASE(
    "rows are normalised by the sum of their sizes, whatever the signs, for maps of any shape") {
  const auto signs = [](Index t, Index l) { return l == t ? 3.0 : l == 0 ? -1.0 : 0.0; };
  const auto profile = profile_of(map_of(4, 4, signs).view());
  CHECK(near(profile.diagonal, (1 + 3 * 0.75) / 4));
  CHECK(near(profile.first, 0.25));
  // More rows than columns: the last rows have no previous position, next or self.
  const auto tall = profile_of(map_of(9, 2, [](Index, Index l) { return l == 1; }).view());
  CHECK(near(tall.previous, 0.5));
  CHECK(tall.next == 1);
  CHECK(tall.diagonal == 0.5);
  CHECK(tall.first == 0);
  const auto one = profile_of(map_of(1, 1, [](Index, Index) { return 1.0; }).view());
  CHECK(one.entropy == 0);
  CHECK(one.diagonal == 1);
  const auto none = profile_of(map_of(2, 2, [](Index, Index) { return 0.0; }).view());
  CHECK(none.diagonal == 0);
}

TEST_CASE("profiles merge by the number of maps") {
  const HeadProfile a{.previous = 1, .entropy = 0.2, .maps = 1}, b{.next = 1, .maps = 3};
  const HeadProfile both = merged(a, b);
  CHECK(near(both.previous, 0.25));
  CHECK(near(both.next, 0.75));
  CHECK(near(both.entropy, 0.05));
  CHECK(both.maps == 4);
  CHECK(merged({}, {}).maps == 0);
  CHECK(merged({}, {}).first == 0);
}

TEST_CASE("causal maps count from the second row, over what a row may read") {
  const auto previous = profile_of(
      map_of(5, 5, [](Index t, Index l) { return l == std::max<Index>(t - 1, 0); }).view(),
      {.causal = true});
  CHECK(previous.previous == 1);
  CHECK(previous.diagonal == 0);
  CHECK(kind_of(previous) == HeadKind::kPrevious);
  const auto even = profile_of(
      map_of(5, 5, [](Index t, Index l) { return l <= t ? 1.0 : 0.0; }).view(), {.causal = true});
  CHECK(near(even.entropy, 1));
  CHECK(even.next == 0);
  CHECK(kind_of(even) == HeadKind::kBroad);
}

TEST_CASE("content is the share of the weight that lies elsewhere in another picture") {
  const Tensor a = map_of(2, 3, [](Index, Index l) { return l == 0; }),
               b = map_of(2, 3, [](Index t, Index l) { return l == (t == 0 ? 2 : 0); }),
               c = map_of(2, 3, [](Index, Index l) { return l == 0 ? 1.5 : 0.5; });
  const auto content = [](const Tensor& x, const Tensor& y) {
    return content_between({.map = x.view()}, {.map = y.view()});
  };
  CHECK(content(a, a) == 0);
  CHECK(near(content(a, b), 0.5));  // row 0 lies elsewhere, row 1 does not
  CHECK(near(content(a, c), 0.4));  // .6 stays
  CHECK(content(b, a) == content(a, b));
  // Without the column that both of the rows share, a has no weight to compare.
  const std::vector<std::uint8_t> seen{0, 1, 1};
  CHECK(std::isnan(content_between({.map = a.view(), .seen = seen}, {.map = b.view()})));
  // Row 1 alone is left of causal maps, and of the rows that both have.
  CHECK(content_between({.map = a.view(), .part = {.causal = true}}, {.map = b.view()}) == 0);
  CHECK(content(map_of(1, 3, [](Index, Index l) { return l == 0; }), b) == 1);
  CHECK(kind_of({.previous = 0.3}, 0.5) == HeadKind::kContent);
  CHECK(kind_of({.previous = 0.3}, 0.49) == HeadKind::kMixed);
  CHECK(kind_of({.previous = 0.6}, 0.9) == HeadKind::kPrevious);
  CHECK(kind_of({.previous = 0.3}) == HeadKind::kMixed);
}

TEST_CASE("input that is not a map is refused") {
  CHECK_THROWS_AS(profile_of(Tensor({2, 2, 2}).view()), ShapeError);
  Tensor bad({1, 2});
  bad[0] = std::numeric_limits<Real>::quiet_NaN();
  CHECK_THROWS_AS(profile_of(bad.view()), ShapeError);
}

}  // namespace
}  // namespace saccade
