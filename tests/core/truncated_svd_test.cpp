#include "core/kernels/truncated_svd.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace saccade {

TEST_CASE("a truncated SVD finds the singular values and vectors that a matrix was made of") {
  // A = sum_k s_k u_k v_k' with orthonormal cosines for u and v.
  constexpr Index kRows = 40, kCols = 60;
  const std::vector<double> singular{9, 5, 2, 0.5};
  const auto cosine = [](Index k, Index i, Index n) {
    return std::sqrt(2.0 / static_cast<double>(n)) *
           std::cos(M_PI * static_cast<double>(k + 1) * (static_cast<double>(i) + 0.5) /
                    static_cast<double>(n));
  };
  std::vector<kernels::SparseEntry> entries;
  for (Index r = 0; r < kRows; ++r)
    for (Index c = 0; c < kCols; ++c) {
      double value = 0;
      for (std::size_t k = 0; k < singular.size(); ++k)
        value += singular[k] * cosine(static_cast<Index>(k), r, kRows) *
                 cosine(static_cast<Index>(k), c, kCols);
      entries.push_back({.row = r, .col = c, .value = value / 2});
      entries.push_back({.row = r, .col = c, .value = value / 2});
    }
  const kernels::TruncatedSvd svd = kernels::truncated_svd(entries, kRows, kCols, 3, 1);
  REQUIRE(svd.rank == 3);
  for (Index k = 0; k < 3; ++k) {
    CAPTURE(k);
    CHECK(svd.singular[static_cast<std::size_t>(k)] ==
          Approx(singular[static_cast<std::size_t>(k)]));
    double along = 0;
    for (Index r = 0; r < kRows; ++r)
      along += svd.left[static_cast<std::size_t>(r * 3 + k)] * cosine(k, r, kRows);
    CHECK(std::abs(along) == Approx(1));
  }
  CHECK(kernels::truncated_svd(entries, kRows, kCols, 3, 1).left == svd.left);
}

TEST_CASE("a rank above the matrix's is cut, and entries outside the matrix are refused") {
  const std::vector<kernels::SparseEntry> one{{.row = 1, .col = 0, .value = -3}};
  const kernels::TruncatedSvd svd = kernels::truncated_svd(one, 2, 5, 8, 1);
  CHECK(svd.rank == 2);
  CHECK(svd.singular[0] == Approx(3));
  CHECK(svd.singular[1] == Approx(0).margin(1e-9));
  CHECK(svd.left[2] == Approx(1));
  CHECK(kernels::truncated_svd({}, 0, 0, 4, 1).rank == 0);
  CHECK_THROWS_AS(kernels::truncated_svd(one, 1, 1, 1, 1), ShapeError);
}

}  // namespace saccade
