#include "core/kernels/gemm.h"

#include <Eigen/Core>
#include <bit>
#include <cstdint>
#include <vector>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

#ifndef SACCADE_DOUBLE
namespace {

// A matrix as it is stored, with its numbers rounded.
Tensor rounded(const Real* x, Index rows, Index cols, Index width) {
  Tensor out({rows, cols});
  std::vector<std::uint16_t> upper(static_cast<std::size_t>(cols));
  for (Index r = 0; r < rows; ++r) {
    round_to_bf16({x + r * width, upper.size()}, upper.data());
    for (Index c = 0; c < cols; ++c)
      out[r * cols + c] = std::bit_cast<float>(
          static_cast<std::uint32_t>(upper[static_cast<std::size_t>(c)]) << 16);
  }
  return out;
}

}  // namespace
#endif

void gemm(const Gemm& product) {
  const Gemm g = started_from_bias(product);
#ifndef SACCADE_DOUBLE
  if (g.precision == Precision::kBf16) {
    const bool a_turned = g.trans_a == Trans::kYes, b_turned = g.trans_b == Trans::kYes;
    Gemm of_rounded = g;
    of_rounded.precision = Precision::kF32;
    of_rounded.lda = a_turned ? g.m : g.k, of_rounded.ldb = b_turned ? g.k : g.n;
    const Tensor a = rounded(g.a, a_turned ? g.k : g.m, of_rounded.lda, g.lda),
                 b = rounded(g.b, b_turned ? g.n : g.k, of_rounded.ldb, g.ldb);
    of_rounded.a = a.data(), of_rounded.b = b.data();
    return gemm(of_rounded);
  }
#endif
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stored = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
  if (g.m == 0 || g.n == 0) return;
  const bool ta = g.trans_a == Trans::kYes, tb = g.trans_b == Trans::kYes;
  const Stored a(g.a, ta ? g.k : g.m, ta ? g.m : g.k, Eigen::OuterStride<>(g.lda));
  const Stored b(g.b, tb ? g.n : g.k, tb ? g.k : g.n, Eigen::OuterStride<>(g.ldb));
  Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>> c(g.c, g.m, g.n,
                                                               Eigen::OuterStride<>(g.ldc));
  if (g.beta == 0) {
    c.setZero();
  } else if (g.beta != 1) {
    c *= g.beta;
  }
  if (g.k == 0) return;
  if (ta && tb) {
    c.noalias() += g.alpha * (a.transpose() * b.transpose());
  } else if (ta) {
    c.noalias() += g.alpha * (a.transpose() * b);
  } else if (tb) {
    c.noalias() += g.alpha * (a * b.transpose());
  } else {
    c.noalias() += g.alpha * (a * b);
  }
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
