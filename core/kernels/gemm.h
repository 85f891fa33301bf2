// Dense matrix products on raw row-major arrays. Everything that multiplies matrices goes through
// here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/precision.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

enum class Trans { kNo, kYes };

// C[m, n] = alpha op(A)[m, k] op(B)[k, n] + beta C, where op transposes if its flag is set. lda,
// ldb and ldc are the widths of the rows as they are stored. With beta = 0, the earlier content of
// C is ignored. bias [n], where there is one, is added to every row; alpha is then 1 and beta 0.
struct Gemm {
  Trans trans_a = Trans::kNo, trans_b = Trans::kNo;
  Index m = 0, n = 0, k = 0;
  Real alpha = 1;
  const Real* a = nullptr;
  Index lda = 0;
  const Real* b = nullptr;
  Index ldb = 0;
  Real beta = 0;
  const Real* bias = nullptr;
  Real* c = nullptr;
  Index ldc = 0;
  Precision precision = Precision::kF32;  // what A and B are rounded to; kernels::gemm() sets it
  const void* packed_b = nullptr;         // B as pack_b() wrote it, for rounded operands
};

namespace kernels {

// oneDNN in float, Eigen in double. One thread, except where kernels are cut (kernel_parts.h). In
// float, operands are rounded as precision() says, but for those of narrow weights. The rows of a
// batch do not decide it, so that a row has the same product in any batch.
void gemm(const Gemm& g);

// Writes a rounded copy of B, in the layout that products read fastest, for several of them with
// any A. Returns it for Gemm::packed_b, or null where operands are not rounded or nothing is
// gained.
const void* pack_b(const Gemm& g, std::vector<std::uint16_t>& to);

// The product that adds to the bias, which it writes to every row of C.
Gemm started_from_bias(const Gemm& g);

// The products as they are: one thread per call.
namespace reference {
void gemm(const Gemm& g);  // Eigen
}
#ifndef SACCADE_DOUBLE
namespace optimized {
void gemm(const Gemm& g);  // oneDNN
const void* pack_b(const Gemm& g, std::vector<std::uint16_t>& to);
}  // namespace optimized
#endif

// The common forms over views. All extents but the last count as rows.
void matmul(ConstView a, ConstView b, View c, Real beta);     // c[n,o] = a[n,k] b[k,o] + beta c
void matmul_nt(ConstView a, ConstView b, View c, Real beta);  // c[n,k] = a[n,o] b[k,o]^T + beta c
void matmul_tn(ConstView a, ConstView b, View c, Real beta);  // c[k,o] = a[n,k]^T b[n,o] + beta c
// c[n,o] = a[n,k] b[k,o] + bias[o], or b[o,k]^T; without data, bias adds nothing.
void affine(ConstView a, Trans trans_b, ConstView b, ConstView bias, View c);

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
