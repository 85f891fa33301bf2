#include "core/kernels/gemm.h"

#include <dnnl.h>

#include <dnnl.hpp>
#include <map>
#include <new>
#include <vector>

#include "core/base/error.h"
#include "core/kernels/optimized/one_thread.h"
#include "core/kernels/rounded_weights.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {

namespace {

using dnnl::memory;

// A product by oneDNN's matmul primitive. Creating one costs 0.1 to 0.5 ms, so each thread keeps
// its own, by shape.
struct ProductKey {
  Index m, n, k;
  memory::dims a, b;  // strides of rows and columns
  Index ldc;
  Real alpha, beta;
  Precision precision;
  auto operator<=>(const ProductKey&) const = default;
};

class Product {
 public:
  explicit Product(const ProductKey& key) {
    const auto type =
        key.precision == Precision::kBf16 ? memory::data_type::bf16 : memory::data_type::f32;
    const memory::desc a({key.m, key.k}, type, key.a), b({key.k, key.n}, type, key.b),
        c({key.m, key.n}, memory::data_type::f32, memory::dims{key.ldc, 1});
    dnnl::primitive_attr attr;
    if (key.beta != 0) {
      dnnl::post_ops ops;
      ops.append_sum(key.beta);
      attr.set_post_ops(ops);
    }
    if (key.alpha != 1) attr.set_output_scales(0, {key.alpha});
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::library);
    matmul_ =
        dnnl::matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), attr, engine()));
    ma_ = memory(a, engine(), nullptr);
    mb_ = memory(b, engine(), nullptr);
    mc_ = memory(c, engine(), nullptr);
  }

  void run(const void* a, const void* b, float* c) {
    ma_.set_data_handle(const_cast<void*>(a));
    mb_.set_data_handle(const_cast<void*>(b));
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
  dnnl::matmul matmul_;
  memory ma_, mb_, mc_;
};

// Batches that shrink from word to word have many shapes, so the collection is emptied now and
// then.
void multiply(const ProductKey& key, const void* a, const void* b, Real* c) {
  static parallel::PerThread<std::map<ProductKey, Product>> of_threads;
  std::map<ProductKey, Product>& products = of_threads.get();
  try {
    auto found = products.find(key);
    if (found == products.end()) {
      if (products.size() >= 2048) products.clear();
      found = products.try_emplace(key, key).first;
    }
    found->second.run(a, b, c);
  } catch (const dnnl::error& error) {
    kernels_detail::rethrow(error);
  }
}

// For a few rows times a transposed matrix: plain sgemm reaches half of what the matmul primitive
// does (16 x 512 x 2048: 36 against 85 GFLOP/s), because it packs the large operand anew.
bool few_rows(const Gemm& g) {
  constexpr Index kFewRows = 64;
  return g.trans_a == Trans::kNo && g.trans_b == Trans::kYes && g.m <= kFewRows && g.k >= 64 &&
         g.n >= 64 && g.alpha == 1 && (g.beta == 0 || g.beta == 1);
}

memory::dims strides(Trans trans, Index width) {
  return trans == Trans::kYes ? memory::dims{1, width} : memory::dims{width, 1};
}

// A matrix as it is stored, [rows, cols] with rows of `width`, rounded and without gaps.
const std::uint16_t* rounded(const Real* x, Index rows, Index cols, Index width,
                             std::vector<std::uint16_t>& to) {
  const auto count = static_cast<std::size_t>(rows * cols);
  if (width == cols)
    if (const std::uint16_t* held = rounded_weights(x, count)) return held;
  if (to.size() < count) to.resize(count);
  if (width == cols) {
    round_to_bf16({x, count}, to.data());
  } else {
    for (Index r = 0; r < rows; ++r)
      round_to_bf16({x + r * width, static_cast<std::size_t>(cols)}, to.data() + r * cols);
  }
  return to.data();
}

void gemm_of_rounded(const Gemm& g) {
  struct Operands {
    std::vector<std::uint16_t> a, b;
  };
  static parallel::PerThread<Operands> of_threads;
  Operands& space = of_threads.get();
  const bool ta = g.trans_a == Trans::kYes, tb = g.trans_b == Trans::kYes;
  const Index a_cols = ta ? g.m : g.k, b_cols = tb ? g.k : g.n;
  const auto* a = rounded(g.a, ta ? g.k : g.m, a_cols, g.lda, space.a);
  const auto* b = rounded(g.b, tb ? g.n : g.k, b_cols, g.ldb, space.b);
  multiply({.m = g.m,
            .n = g.n,
            .k = g.k,
            .a = strides(g.trans_a, a_cols),
            .b = strides(g.trans_b, b_cols),
            .ldc = g.ldc,
            .alpha = g.alpha,
            .beta = g.beta,
            .precision = Precision::kBf16},
           a, b, g.c);
}

}  // namespace

void gemm(const Gemm& g) {
  if (g.m == 0 || g.n == 0) return;
  kernels_detail::use_one_thread();
  if (g.k == 0) return reference::gemm(g);  // sgemm would leave C as it is, whatever beta is
  if (g.precision == Precision::kBf16) return gemm_of_rounded(g);
  if (few_rows(g))
    return multiply({.m = g.m,
                     .n = g.n,
                     .k = g.k,
                     .a = strides(g.trans_a, g.lda),
                     .b = strides(g.trans_b, g.ldb),
                     .ldc = g.ldc,
                     .alpha = 1,
                     .beta = g.beta,
                     .precision = Precision::kF32},
                    g.a, g.b, g.c);
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
