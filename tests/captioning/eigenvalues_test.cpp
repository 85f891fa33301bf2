// Eigenvalues of symmetric matrices whose eigenvalues can be found by hand.
#include "captioning/scoring/metrics/eigenvalues.h"

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "tests/support/catch.h"

namespace saccade::test {
namespace {

std::vector<double> of(const std::vector<double>& matrix, Index size) {
  return symmetric_eigenvalues(matrix, size);
}

bool near(const std::vector<double>& got, const std::vector<double>& wanted) {
  if (got.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - wanted[i]) <= 1e-12)) return false;
  return true;
}

TEST_CASE("eigenvalues come in order, the smallest first") {
  CHECK(of({}, 0).empty());
  CHECK(near(of({-3}, 1), {-3}));
  CHECK(near(of({5, 0, 0, 0, -1, 0, 0, 0, 2}, 3), {-1, 2, 5}));
  CHECK(near(of({2, 1, 1, 2}, 2), {1, 3}));
  // A matrix of ones: one eigenvalue is its size, the others are zero.
  CHECK(near(of(std::vector<double>(16, 1), 4), {0, 0, 0, 4}));
  // A path of three nodes: 2 - sqrt 2, 2, 2 + sqrt 2.
  CHECK(near(of({2, -1, 0, -1, 2, -1, 0, -1, 2}, 3), {2 - std::sqrt(2), 2, 2 + std::sqrt(2)}));
}

TEST_CASE("only the lower triangle is read") { CHECK(near(of({2, 77, 1, 2}, 2), {1, 3})); }

TEST_CASE("eigenvalues of other matrices are refused") {
  CHECK_THROWS_AS(of({1, 2, 3}, 2), ShapeError);
  CHECK_THROWS_AS(of({std::numeric_limits<double>::quiet_NaN(), 0, 0, 1}, 2), InternalError);
}

}  // namespace
}  // namespace saccade::test
