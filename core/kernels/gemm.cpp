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
  if (g.bias) g.bias += begin;
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
  SACCADE_ASSERT(!whole.bias || (whole.alpha == 1 && whole.beta == 0), "a bias beside beta");
  Gemm g = whole;
  g.precision = product_precision(g);
  if (WorkLog* log = WorkLog::current()) log->product(g);
  if (!parallel::splits_kernels()) return chosen::gemm(g);
  g.packed_b = nullptr;  // of all columns
  const bool columns = g.n >= g.m;
  const Index count = columns ? g.n : g.m, other = columns ? g.m : g.n;
  parallel::split_kernel(
      {.count = count, .unit = kTogether, .cost = std::max(other, kRowsOfReading) * g.k},
      [&](Index begin, Index end) {
        chosen::gemm(columns ? columns_of(g, begin, end) : rows_of(g, begin, end));
      });
}

const void* pack_b(const Gemm& whole, std::vector<std::uint16_t>& to) {
#ifdef SACCADE_DOUBLE
  static_cast<void>(whole), static_cast<void>(to);
  return nullptr;
#else
  Gemm g = whole;
  g.precision = product_precision(g);
  return optimized::pack_b(g, to);
#endif
}

namespace {

// c = op(a) op(b) + beta c + bias; `name` is for messages.
void multiply(const char* name, Trans trans_a, ConstView a, Trans trans_b, ConstView b, View c,
              Real beta, ConstView bias = {}) {
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
                     .bias = bias.data,
                     .c = c.data,
                     .ldc = c.cols()};
  SACCADE_ASSERT(
      (tb ? b.cols() : b.rows()) == product.k && c.rows() == product.m && c.cols() == product.n,
      name, " ", a.shape, " x ", b.shape, " -> ", c.shape);
  SACCADE_ASSERT(!bias.data || bias.size() == c.cols(), name, " bias ", bias.shape, " for ",
                 c.shape);
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

void affine(ConstView a, Trans trans_b, ConstView b, ConstView bias, View c) {
  multiply("affine", Trans::kNo, a, trans_b, b, c, 0, bias);
}

Gemm started_from_bias(const Gemm& g) {
  if (!g.bias) return g;
  for (Index r = 0; r < g.m; ++r) std::copy_n(g.bias, g.n, g.c + r * g.ldc);
  Gemm sum = g;
  sum.bias = nullptr, sum.beta = 1;
  return sum;
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
