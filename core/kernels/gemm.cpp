#include "core/kernels/gemm.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

#ifdef SACCADE_DOUBLE
namespace chosen = reference;
#else
namespace chosen = optimized;
#endif

// Rows and columns that the innermost loops of products take together with AVX-512; with AVX2, the
// numbers divide this one.
constexpr Index kTogether = 48;
// With fewer rows than these, a product takes as long as reading the other matrix does.
constexpr Index kRowsOfReading = 8;

Gemm columns_of(Gemm g, Index begin, Index end) {
  g.b += begin * (g.trans_b == Trans::kYes ? g.ldb : 1);
  g.c += begin;
  g.n = end - begin;
  return g;
}

Gemm rows_of(Gemm g, Index begin, Index end) {
  g.a += begin * (g.trans_a == Trans::kYes ? 1 : g.lda);
  g.c += begin * g.ldc;
  g.m = end - begin;
  return g;
}

// A weight is B of a product with a batch, and C of a product of two batches, which has A^T.
Precision product_precision(const Gemm& g) {
#ifdef SACCADE_DOUBLE
  static_cast<void>(g);
  return Precision::kF32;
#else
  constexpr Index kNarrow = 32;
  const Index rows = g.trans_a == Trans::kYes ? g.m : g.k;
  return rows < kNarrow || g.n < kNarrow ? Precision::kF32 : precision();
#endif
}

}  // namespace

// The larger matrix is cut, and every part reads the other one.
void gemm(const Gemm& whole) {
  Gemm g = whole;
  g.precision = product_precision(g);
  if (!parallel::splits_kernels()) return chosen::gemm(g);
  const bool columns = g.n >= g.m;
  const Index count = columns ? g.n : g.m, other = columns ? g.m : g.n;
  parallel::split_kernel(
      {.count = count, .unit = kTogether, .cost = std::max(other, kRowsOfReading) * g.k},
      [&](Index begin, Index end) {
        chosen::gemm(columns ? columns_of(g, begin, end) : rows_of(g, begin, end));
      });
}

void matmul(ConstView a, ConstView b, View c, Real beta) {
  SACCADE_ASSERT(a.cols() == b.rows() && c.rows() == a.rows() && c.cols() == b.cols(), "matmul ",
                 a.shape, " x ", b.shape, " -> ", c.shape);
  gemm({.m = a.rows(),
        .n = b.cols(),
        .k = a.cols(),
        .a = a.data,
        .lda = a.cols(),
        .b = b.data,
        .ldb = b.cols(),
        .beta = beta,
        .c = c.data,
        .ldc = c.cols()});
}

void matmul_nt(ConstView a, ConstView b, View c, Real beta) {
  SACCADE_ASSERT(a.cols() == b.cols() && c.rows() == a.rows() && c.cols() == b.rows(), "matmul_nt ",
                 a.shape, " x ", b.shape, " -> ", c.shape);
  gemm({.trans_b = Trans::kYes,
        .m = a.rows(),
        .n = b.rows(),
        .k = a.cols(),
        .a = a.data,
        .lda = a.cols(),
        .b = b.data,
        .ldb = b.cols(),
        .beta = beta,
        .c = c.data,
        .ldc = c.cols()});
}

void matmul_tn(ConstView a, ConstView b, View c, Real beta) {
  SACCADE_ASSERT(a.rows() == b.rows() && c.rows() == a.cols() && c.cols() == b.cols(), "matmul_tn ",
                 a.shape, " x ", b.shape, " -> ", c.shape);
  gemm({.trans_a = Trans::kYes,
        .m = a.cols(),
        .n = b.cols(),
        .k = a.rows(),
        .a = a.data,
        .lda = a.cols(),
        .b = b.data,
        .ldb = b.cols(),
        .beta = beta,
        .c = c.data,
        .ldc = c.cols()});
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
