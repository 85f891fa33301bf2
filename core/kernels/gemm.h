// Dense matrix products on raw row-major arrays. Everything that multiplies matrices goes through
// here.
#pragma once

#include "core/kernels/precision.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

enum class Trans { kNo, kYes };

// C[m, n] = alpha op(A)[m, k] op(B)[k, n] + beta C, where op transposes if its flag is set. lda,
// ldb and ldc are the widths of the rows as they are stored. With beta = 0, the earlier content of
// C is ignored.
struct Gemm {
  Trans trans_a = Trans::kNo, trans_b = Trans::kNo;
  Index m = 0, n = 0, k = 0;
  Real alpha = 1;
  const Real* a = nullptr;
  Index lda = 0;
  const Real* b = nullptr;
  Index ldb = 0;
  Real beta = 0;
  Real* c = nullptr;
  Index ldc = 0;
  Precision precision = Precision::kF32;  // what A and B are rounded to; kernels::gemm() sets it
};

namespace kernels {

// oneDNN in float, Eigen in double. One thread, except where kernels are cut (kernel_parts.h). In
// float, operands are rounded as precision() says, but for those of narrow weights. The rows of a
// batch do not decide it, so that a row has the same product in any batch.
void gemm(const Gemm& g);

// The products as they are: one thread per call.
namespace reference {
void gemm(const Gemm& g);  // Eigen
}
#ifndef SACCADE_DOUBLE
namespace optimized {
void gemm(const Gemm& g);  // oneDNN
}
#endif

// The common forms over views. All extents but the last count as rows.
void matmul(ConstView a, ConstView b, View c, Real beta);     // c[n,o] = a[n,k] b[k,o] + beta c
void matmul_nt(ConstView a, ConstView b, View c, Real beta);  // c[n,k] = a[n,o] b[k,o]^T + beta c
void matmul_tn(ConstView a, ConstView b, View c, Real beta);  // c[k,o] = a[n,k]^T b[n,o] + beta c

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
