#include "core/kernels/pool.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/catch.h"

namespace saccade {

namespace {

std::vector<Real> values(const Tensor& t) { return {t.span().begin(), t.span().end()}; }

}  // namespace

TEST_CASE("pooling of a known image") {
  // 3 x 3 pixels of two channels: 1 .. 9 and their negatives.
  Tensor x({1, 3, 3, 2});
  for (Index p = 0; p < 9; ++p) {
    x[2 * p] = static_cast<Real>(p + 1);
    x[2 * p + 1] = -static_cast<Real>(p + 1);
  }
  const PoolShape shape{
      .batch = 1, .height = 3, .width = 3, .channels = 2, .kernel = 2, .stride = 2, .padding = 1};
  REQUIRE(shape.output() == Shape{1, 2, 2, 2});
  Tensor y(shape.output());
  std::vector<int> where(8);
  kernels::max_pool(shape, x.view(), y.view(), where);
  CHECK(values(y) == std::vector<Real>{1, -1, 3, -2, 7, -4, 9, -5});
  CHECK(where == std::vector<int>{0, 0, 2, 1, 6, 3, 8, 4});
  kernels::avg_pool(shape, x.view(), y.view());
  CHECK(values(y) == std::vector<Real>{1, -1, 2.5, -2.5, 5.5, -5.5, 7, -7});
}

TEST_CASE("a maximum does not hide a NaN, and the first of equal numbers is chosen") {
  const PoolShape shape{.height = 2, .width = 2, .channels = 1};
  Tensor y(shape.output());
  std::vector<int> where(1);
  constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  for (Index place = 0; place < 4; ++place) {
    Tensor x(shape.input(), std::vector<Real>{1, 5, 5, 2});
    kernels::max_pool(shape, x.view(), y.view(), where);
    CHECK(y[0] == 5);
    CHECK(where[0] == 1);
    x[place] = kNan;
    kernels::max_pool(shape, x.view(), y.view(), where);
    CHECK(std::isnan(y[0]));
  }
}

}  // namespace saccade
