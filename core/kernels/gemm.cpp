#include "core/kernels/gemm.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/kernels/work_log.h"
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
  if (WorkLog* log = WorkLog::current()) log->product(g);
  if (!parallel::splits_kernels()) return chosen::gemm(g);
  const bool columns = g.n >= g.m;
  const Index count = columns ? g.n : g.m, other = columns ? g.m : g.n;
  parallel::split_kernel(
      {.count = count, .unit = kTogether, .cost = std::max(other, kRowsOfReading) * g.k},
      [&](Index begin, Index end) {
        chosen::gemm(columns ? columns_of(g, begin, end) : rows_of(g, begin, end));
      });
}

namespace {

// c = op(a) op(b) + beta c; `name` is for messages.
void multiply(const char* name, Trans trans_a, ConstView a, Trans trans_b, ConstView b, View c,
              Real beta) {
  const bool ta = trans_a == Trans::kYes, tb = trans_b == Trans::kYes;
  const Gemm product{.trans_a = trans_a,
                     .trans_b = trans_b,
                     .m = ta ? a.cols() : a.rows(),
                     .n = tb ? b.rows() : b.cols(),
                     .k = ta ? a.rows() : a.cols(),
                     .a = a.data,
                     .lda = a.cols(),
                     .b = b.data,
                     .ldb = b.cols(),
                     .beta = beta,
                     .c = c.data,
                     .ldc = c.cols()};
  SACCADE_ASSERT(
      (tb ? b.cols() : b.rows()) == product.k && c.rows() == product.m && c.cols() == product.n,
      name, " ", a.shape, " x ", b.shape, " -> ", c.shape);
  gemm(product);
}

}  // namespace

void matmul(ConstView a, ConstView b, View c, Real beta) {
  multiply("matmul", Trans::kNo, a, Trans::kNo, b, c, beta);
}

void matmul_nt(ConstView a, ConstView b, View c, Real beta) {
  multiply("matmul_nt", Trans::kNo, a, Trans::kYes, b, c, beta);
}

void matmul_tn(ConstView a, ConstView b, View c, Real beta) {
  multiply("matmul_tn", Trans::kYes, a, Trans::kNo, b, c, beta);
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
