#include "core/kernels/gemm.h"

#include <Eigen/Core>

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

void gemm(const Gemm& g) {
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
