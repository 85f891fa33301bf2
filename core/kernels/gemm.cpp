#include "core/kernels/gemm.h"

#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

void gemm(const Gemm& g) {
#ifdef SACCADE_DOUBLE
  reference::gemm(g);
#else
  optimized::gemm(g);
#endif
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
