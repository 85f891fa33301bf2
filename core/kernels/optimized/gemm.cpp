#include "core/kernels/gemm.h"

#include <dnnl.h>

#include <algorithm>
#include <dnnl.hpp>
#include <map>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/kernels/constant_weights.h"
#include "core/kernels/optimized/one_thread.h"
#include "core/kernels/optimized/pack_rounded.h"
#include "core/kernels/optimized/weight_layout.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {

namespace {

using dnnl::memory;
using kernels_detail::engine;

memory::data_type type_of(Precision precision) {
  return precision == Precision::kBf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

// The layout in which oneDNN reads B [k, n] fastest, and the way there.
struct WeightKey {
  Trans trans;
  Index k, n, width;
  Precision precision;
  auto operator<=>(const WeightKey&) const = default;
};

memory::dims strides(Trans trans, Index width) {
  return trans == Trans::kYes ? memory::dims{1, width} : memory::dims{width, 1};
}

struct WeightLayout {
  WeightKey key;
  memory::desc ours, theirs;
  bool by_us = false;
  int number = 0;  // for packed_weights()

  bool exists() const { return ours != theirs; }
  // Fewer rows than the layout has are filled up with zeros, where `by_us`.
  void pack(const Real* from, Index rows, void* to) const {
    if (by_us) {
      kernels_detail::pack_rounded(from, key.trans == Trans::kYes, rows, key.k, key.n, key.width,
                                   static_cast<std::uint16_t*>(to));
      return;
    }
    memory given(ours, engine(), const_cast<Real*>(from)), packed(theirs, engine(), to);
    kernels_detail::reorder(given, packed);
  }
};

std::shared_ptr<const WeightLayout> make_layout(const WeightKey& key) {
  constexpr Index kRows = 64;  // the layout does not depend on them
  const memory::desc any({key.k, key.n}, type_of(key.precision), memory::format_tag::any);
  const memory::desc a({kRows, key.k}, type_of(key.precision), memory::format_tag::ab);
  const memory::desc c({kRows, key.n}, memory::data_type::f32, memory::format_tag::ab);
  const memory::desc pairs({key.k, key.n}, type_of(key.precision), memory::format_tag::BA16a64b2a);
  auto layout = std::make_shared<WeightLayout>();
  layout->key = key;
  layout->ours =
      memory::desc({key.k, key.n}, memory::data_type::f32, strides(key.trans, key.width));
  layout->theirs =
      dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, any, c), engine()).weights_desc();
  // Without AVX-512, rows as they are.
  if (layout->theirs.data.format_desc.blocking.inner_nblks == 0) layout->theirs = layout->ours;
  if (!layout->exists()) return layout;
  layout->number = kernels_detail::layout_number({layout->ours, engine(), nullptr},
                                                 {layout->theirs, engine(), nullptr});
  layout->by_us = key.precision == Precision::kBf16 && layout->theirs == pairs;
  return layout;
}

std::shared_ptr<const WeightLayout> layout_of(const WeightKey& key) {
  static parallel::PerThread<std::map<WeightKey, std::shared_ptr<const WeightLayout>>> of_threads;
  auto& layouts = of_threads.get();
  auto found = layouts.find(key);
  if (found == layouts.end()) {
    if (layouts.size() >= 1024) layouts.clear();
    found = layouts.try_emplace(key, make_layout(key)).first;
  }
  return found->second;
}

// A product by oneDNN's matmul primitive. Creating one costs 0.1 to 0.5 ms, so each thread keeps
// its own, by shape.
struct ProductKey {
  Index m, n, k;
  memory::dims a, b;  // strides of rows and columns; those of a copy of B are empty
  Index ldc;
  Real alpha, beta;
  bool bias;
  Precision precision;
  auto operator<=>(const ProductKey&) const = default;
};

class Product {
 public:
  explicit Product(const ProductKey& key) {
    const auto type = type_of(key.precision);
    const memory::desc a({key.m, key.k}, type, key.a);
    const memory::desc b = key.b.empty() ? layout_of({.trans = Trans::kNo,
                                                      .k = key.k,
                                                      .n = key.n,
                                                      .width = key.n,
                                                      .precision = key.precision})
                                               ->theirs
                                         : memory::desc({key.k, key.n}, type, key.b);
    const memory::desc c({key.m, key.n}, memory::data_type::f32, memory::dims{key.ldc, 1});
    dnnl::primitive_attr attr;
    if (key.beta != 0) {
      dnnl::post_ops ops;
      ops.append_sum(key.beta);
      attr.set_post_ops(ops);
    }
    if (key.alpha != 1) attr.set_output_scales(0, {key.alpha});
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::library);
    const memory::desc bias({1, key.n}, memory::data_type::f32, memory::dims{key.n, 1});
    const dnnl::matmul::desc product =
        key.bias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c);
    matmul_ = dnnl::matmul(dnnl::matmul::primitive_desc(product, attr, engine()));
    if (key.bias) mbias_ = memory(bias, engine(), nullptr);
    ma_ = memory(a, engine(), nullptr);
    mb_ = memory(b, engine(), nullptr);
    mc_ = memory(c, engine(), nullptr);
  }

  void run(const void* a, const void* b, const float* bias, float* c) {
    ma_.set_data_handle(const_cast<void*>(a));
    mb_.set_data_handle(const_cast<void*>(b));
    mc_.set_data_handle(c);
    std::unordered_map<int, memory> arguments{
        {DNNL_ARG_SRC, ma_}, {DNNL_ARG_WEIGHTS, mb_}, {DNNL_ARG_DST, mc_}};
    if (mbias_) {
      mbias_.set_data_handle(const_cast<float*>(bias));
      arguments.emplace(DNNL_ARG_BIAS, mbias_);
    }
    matmul_.execute(kernels_detail::stream(), arguments);
  }

 private:
  dnnl::matmul matmul_;
  memory ma_, mb_, mc_, mbias_;
};

// Batches that shrink from word to word have many shapes, so the collection is emptied now and
// then.
void multiply(const ProductKey& key, const void* a, const void* b, Real* c,
              const Real* bias = nullptr) {
  constexpr std::size_t kMostProducts = 512;  // of 60 to 150 KB
  static parallel::PerThread<std::map<ProductKey, Product>> of_threads;
  std::map<ProductKey, Product>& products = of_threads.get();
  auto found = products.find(key);
  if (found == products.end()) {
    if (products.size() >= kMostProducts) products.clear();
    found = products.try_emplace(key, key).first;
  }
  found->second.run(a, b, bias, c);
}

// For a few rows times a transposed matrix: plain sgemm reaches half of what the matmul primitive
// does (16 x 512 x 2048: 36 against 85 GFLOP/s), because it packs the large operand anew.
bool few_rows(const Gemm& g) {
  constexpr Index kFewRows = 64;
  return g.trans_a == Trans::kNo && g.trans_b == Trans::kYes && g.m <= kFewRows && g.k >= 64 &&
         g.n >= 64 && g.alpha == 1 && (g.beta == 0 || g.beta == 1);
}

// A matrix as it is stored, [rows, cols] with rows of `width`, rounded and without gaps; where
// `all` is more than `rows`, zeros follow.
const std::uint16_t* rounded(const Real* x, Index rows, Index cols, Index width,
                             std::vector<std::uint16_t>& to, Index all = 0) {
  const auto count = static_cast<std::size_t>(rows * cols);
  const std::size_t more = static_cast<std::size_t>(std::max(all, rows) * cols) - count;
  if (to.size() < count + more) to.resize(count + more);
  std::fill_n(to.begin() + static_cast<std::ptrdiff_t>(count), more, std::uint16_t{0});
  if (width == cols) {
    round_to_bf16({x, count}, to.data());
  } else {
    for (Index r = 0; r < rows; ++r)
      round_to_bf16({x + r * width, static_cast<std::size_t>(cols)}, to.data() + r * cols);
  }
  return to.data();
}

// Buffers for the length of a product.
struct Space {
  std::vector<std::uint16_t> a, b;
  std::vector<Real> c;
};
Space& space() {
  static parallel::PerThread<Space> of_threads;
  return of_threads.get();
}

std::shared_ptr<const WeightLayout> layout_of_b(const Gemm& g) {
  return layout_of(
      {.trans = g.trans_b, .k = g.k, .n = g.n, .width = g.ldb, .precision = g.precision});
}

// The layout of B for pack_b(). Its rows are those of a batch, whose number changes from step to
// step: they are filled up, so that fewer primitives are needed.
std::shared_ptr<const WeightLayout> filled_layout_of_b(const Gemm& g) {
  constexpr Index kUnit = 32;
  Gemm filled = g;
  filled.k = (g.k + kUnit - 1) / kUnit * kUnit;
  const auto layout = layout_of_b(filled);
  return layout->by_us ? layout : layout_of_b(g);
}

// The copy of B in the layout that is read fastest; null where there is none, because B may change
// or nothing would be gained.
const void* packed_b(const Gemm& g) {
  constexpr Index kLeast = 64;
  if (g.trans_a == Trans::kYes || g.alpha != 1) return nullptr;
  const bool tb = g.trans_b == Trans::kYes;
  const Index few = tb ? 64 : 32;  // with more rows, sgemm is as fast
  if (g.precision == Precision::kF32 && (g.m > few || g.k < kLeast || g.n < kLeast || g.lda != g.k))
    return nullptr;
  const Index rows = tb ? g.n : g.k, width = tb ? g.k : g.n;
  const std::span<const Real> numbers(g.b, static_cast<std::size_t>((rows - 1) * g.ldb + width));
  if (!are_constant({numbers})) return nullptr;
  const auto layout =
      layout_of({.trans = g.trans_b, .k = g.k, .n = g.n, .width = g.ldb, .precision = g.precision});
  if (!layout->exists()) return nullptr;
  return packed_weights(
      g.b, numbers.size(), 2 * layout->number, layout->theirs.get_size(),
      {.write = [layout, b = g.b](void* copy, Index) { layout->pack(b, layout->key.k, copy); }});
}

// The product of A [m, k], rounded where operands are, with a copy of B. oneDNN has fast ones for
// results without gaps alone.
void multiply_packed(const Gemm& g, const void* a, Index k, const void* packed) {
  const bool gaps = g.ldc != g.n && g.m > 1;
  const ProductKey key{.m = g.m,
                       .n = g.n,
                       .k = k,
                       .a = strides(g.trans_a, g.trans_a == Trans::kYes ? g.m : k),
                       .b = {},
                       .ldc = g.n,
                       .alpha = g.alpha,
                       .beta = gaps ? 0 : g.beta,
                       .bias = g.bias != nullptr,
                       .precision = g.precision};
  if (!gaps) return multiply(key, a, packed, g.c, g.bias);
  std::vector<Real>& c = space().c;
  if (const auto count = static_cast<std::size_t>(g.m * g.n); c.size() < count) c.resize(count);
  multiply(key, a, packed, c.data(), g.bias);
  for (Index r = 0; r < g.m; ++r) {
    const Real* from = c.data() + r * g.n;
    Real* to = g.c + r * g.ldc;
    if (g.beta == 0) {
      std::copy_n(from, g.n, to);
    } else {
      for (Index i = 0; i < g.n; ++i) to[i] = from[i] + g.beta * to[i];
    }
  }
}

// A copy of weights: so many rows at a time that those of A stay in the cache when they are
// rounded. The rows of a batch change from step to step, so the last ones are multiplied apart,
// lest every number of rows needs a primitive.
void multiply_weights(const Gemm& g, const void* packed) {
  constexpr Index kCached = Index{128} * 1024, kUnit = 16;
  const Index together = std::max(kUnit, kCached / g.k / kUnit * kUnit);
  for (Index row = 0; row < g.m;) {
    const Index rest = g.m - row;
    Gemm part = g;
    part.m = rest >= together ? together : rest >= kUnit ? rest / kUnit * kUnit : rest;
    part.a += row * g.lda, part.c += row * g.ldc;
    const void* a = part.a;
    if (g.precision == Precision::kBf16) a = rounded(part.a, part.m, g.k, g.lda, space().a);
    multiply_packed(part, a, g.k, packed);
    row += part.m;
  }
}

// B as pack_b() wrote it.
void multiply_batches(const Gemm& g) {
  const Index k = filled_layout_of_b(g)->key.k;
  multiply_packed(g, rounded(g.a, g.k, g.m, g.lda, space().a, k), k, g.packed_b);
}

void gemm_of_rounded(const Gemm& g) {
  const bool ta = g.trans_a == Trans::kYes, tb = g.trans_b == Trans::kYes;
  const Index a_cols = ta ? g.m : g.k, b_cols = tb ? g.k : g.n;
  const auto* a = rounded(g.a, ta ? g.k : g.m, a_cols, g.lda, space().a);
  const auto* b = rounded(g.b, tb ? g.n : g.k, b_cols, g.ldb, space().b);
  multiply({.m = g.m,
            .n = g.n,
            .k = g.k,
            .a = strides(g.trans_a, a_cols),
            .b = strides(g.trans_b, b_cols),
            .ldc = g.ldc,
            .alpha = g.alpha,
            .beta = g.beta,
            .bias = false,
            .precision = Precision::kBf16},
           a, b, g.c);
}

}  // namespace

const void* pack_b(const Gemm& g, std::vector<std::uint16_t>& to) try {
  if (g.precision != Precision::kBf16 || g.trans_a == Trans::kNo || g.k == 0 || g.n == 0)
    return nullptr;
  kernels_detail::use_one_thread();
  const auto layout = filled_layout_of_b(g);
  if (!layout->exists()) return nullptr;
  to.resize(layout->theirs.get_size() / sizeof(std::uint16_t));
  layout->pack(g.b, g.k, to.data());
  return to.data();
} catch (const dnnl::error& error) {
  kernels_detail::rethrow(error);
}

void gemm(const Gemm& product) try {
  if (product.m == 0 || product.n == 0) return;
  kernels_detail::use_one_thread();
  // sgemm would leave C as it is, whatever beta is.
  if (product.k == 0) return reference::gemm(product);
  if (product.packed_b && product.precision == Precision::kBf16) return multiply_batches(product);
  if (const void* packed = packed_b(product)) return multiply_weights(product, packed);
  const Gemm g = started_from_bias(product);
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
                     .bias = false,
                     .precision = Precision::kF32},
                    g.a, g.b, g.c);
  const auto status =
      dnnl_sgemm(g.trans_a == Trans::kYes ? 'T' : 'N', g.trans_b == Trans::kYes ? 'T' : 'N', g.m,
                 g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c, g.ldc);
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  SACCADE_ASSERT(status == dnnl_success, "dnnl_sgemm failed with status ",
                 static_cast<int>(status));
} catch (const dnnl::error& error) {
  kernels_detail::rethrow(error);
}

}  // namespace kernels::optimized
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
