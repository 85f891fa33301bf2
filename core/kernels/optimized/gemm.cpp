#include "core/kernels/gemm.h"

#include <dnnl.h>

#include <dnnl.hpp>
#include <map>
#include <new>
#include <tuple>

#include "core/base/error.h"
#include "core/kernels/optimized/one_thread.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {

namespace {

using dnnl::memory;

// For a few rows times a transposed matrix: plain sgemm reaches half of what the matmul primitive
// does (16 x 512 x 2048: 36 against 85 GFLOP/s), because it packs the large operand anew. Creating
// a primitive costs 0.1 ms, so each thread keeps its own, by shape.
constexpr Index kFewRows = 64;

class FewRowsProduct {
 public:
  FewRowsProduct(Index m, Index n, Index k, Index lda, Index ldb, Index ldc, bool accumulate)
      : a_({m, k}, memory::data_type::f32, memory::dims{lda, 1}),
        b_({k, n}, memory::data_type::f32, memory::dims{1, ldb}),
        c_({m, n}, memory::data_type::f32, memory::dims{ldc, 1}) {
    dnnl::primitive_attr attr;
    if (accumulate) {
      dnnl::post_ops ops;
      ops.append_sum(1.0f);
      attr.set_post_ops(ops);
    }
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::library);
    matmul_ =
        dnnl::matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a_, b_, c_), attr, engine()));
    ma_ = memory(a_, engine(), nullptr);
    mb_ = memory(b_, engine(), nullptr);
    mc_ = memory(c_, engine(), nullptr);
  }

  void run(const float* a, const float* b, float* c) {
    ma_.set_data_handle(const_cast<float*>(a));
    mb_.set_data_handle(const_cast<float*>(b));
    mc_.set_data_handle(c);
    matmul_.execute(stream(), {{DNNL_ARG_SRC, ma_}, {DNNL_ARG_WEIGHTS, mb_}, {DNNL_ARG_DST, mc_}});
  }

 private:
  static dnnl::engine& engine() {
    static dnnl::engine instance(dnnl::engine::kind::cpu, 0);
    return instance;
  }
  static dnnl::stream& stream() {
    static parallel::PerThread<dnnl::stream> streams;
    return streams.get(engine());
  }
  memory::desc a_, b_, c_;
  dnnl::matmul matmul_;
  memory ma_, mb_, mc_;
};

bool few_rows(const Gemm& g) {
  return g.trans_a == Trans::kNo && g.trans_b == Trans::kYes && g.m <= kFewRows && g.k >= 64 &&
         g.n >= 64 && g.alpha == 1 && (g.beta == 0 || g.beta == 1);
}

}  // namespace

void gemm(const Gemm& g) {
  if (g.m == 0 || g.n == 0) return;
  kernels_detail::use_one_thread();
  if (g.k == 0) return reference::gemm(g);  // sgemm would leave C as it is, whatever beta is
  if (few_rows(g)) {
    using Key = std::tuple<Index, Index, Index, Index, Index, Index, bool>;
    static parallel::PerThread<std::map<Key, FewRowsProduct>> of_threads;
    std::map<Key, FewRowsProduct>& products = of_threads.get();
    const bool accumulate = g.beta != 0;
    const Key key{g.m, g.n, g.k, g.lda, g.ldb, g.ldc, accumulate};
    auto found = products.find(key);
    try {
      if (found == products.end())
        found = products.try_emplace(key, g.m, g.n, g.k, g.lda, g.ldb, g.ldc, accumulate).first;
      found->second.run(g.a, g.b, g.c);
    } catch (const dnnl::error& error) {
      kernels_detail::rethrow(error);
    }
    return;
  }
  const auto status =
      dnnl_sgemm(g.trans_a == Trans::kYes ? 'T' : 'N', g.trans_b == Trans::kYes ? 'T' : 'N', g.m,
                 g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c, g.ldc);
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  SACCADE_ASSERT(status == dnnl_success, "dnnl_sgemm failed with status ",
                 static_cast<int>(status));
}

}  // namespace kernels::optimized
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
