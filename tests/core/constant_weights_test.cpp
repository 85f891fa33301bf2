// Products that read copies of weights.
#include "core/kernels/constant_weights.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <optional>

#include "core/base/random.h"
#include "core/kernels/gemm.h"
#include "core/kernels/optimized/conv_primitive.h"
#include "core/parallel/kernel_parts.h"
#include "core/parallel/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/close.h"
#include "tests/support/with_precision.h"

namespace saccade {

using test::close;

namespace {

// N(0, 1) numbers, of which those with another `sample` are others.
Tensor normal_numbers(Shape shape, std::uint64_t sample) {
  Tensor out(shape);
  Random random({1, Stream::kTest, 0, sample});
  for (Real& x : out.span()) x = static_cast<Real>(random.normal());
  return out;
}

}  // namespace

TEST_CASE("products read copies of weights that do not change, whatever their rows and cuts are") {
  for (const Precision precision : {Precision::kF32, Precision::kBf16}) {
    if (precision == Precision::kBf16 && !test::has_bf16()) continue;
    const test::WithPrecision with(precision);
    constexpr Index kInner = 510, kColumns = 1030, kMost = 200;  // large enough to be cut
    const Tensor x = normal_numbers({kMost, kInner}, 1), dy = normal_numbers({kMost, kColumns}, 2);
    const Tensor bias = normal_numbers({kColumns}, 3);
    Tensor block = normal_numbers({3, kInner, kColumns}, 4);
    const ConstView w{block.data() + kInner * kColumns, {kInner, kColumns}};  // not at its start
    // x w + bias, twice that, and dy w^T of the first rows.
    const auto products = [&](Index rows, bool cut) {
      std::optional<parallel::SplitKernels> split;
      if (cut) split.emplace();
      Tensor y({rows, kColumns}), dx({rows, kInner});
      const ConstView some{x.data(), {rows, kInner}};
      kernels::affine(some, Trans::kNo, w, bias.view(), y.view());
      std::vector<Real> all(y.span().begin(), y.span().end());
      kernels::matmul(some, w, y.view(), 1);
      kernels::matmul_nt({dy.data(), {rows, kColumns}}, w, dx.view(), 0);
      all.insert(all.end(), y.span().begin(), y.span().end());
      all.insert(all.end(), dx.span().begin(), dx.span().end());
      return all;
    };
    const auto near = [&](const std::vector<Real>& a, const std::vector<Real>& b) {
      return close({a.data(), {std::ssize(a)}}, {b.data(), {std::ssize(b)}},
                   {.relative = 1e-4, .absolute = 1e-4});
    };
    WeightCopies copies;
    bool packed = false;
    for (int promise = 0; promise < 2; ++promise)
      for (const Index rows : {1, 3, 32, 33, 65, 200}) {
        CAPTURE(precision == Precision::kBf16, promise, rows);
        parallel::set_threads(4);
        const std::vector<Real> alone = products(rows, false);
        const ConstantWeights held(std::as_const(block).span(), &copies);
        const std::vector<Real> whole = products(rows, false);
        CHECK(near(whole, alone));
        const std::vector<Real> cut = products(rows, true);
        CHECK(near(cut, whole));
        parallel::set_threads(1);
        CHECK(products(rows, true) == cut);
        for (Real& number : block.span()) number *= -1;  // against the promise
        packed = packed || products(rows, false) == whole;
      }
    // Where the processor's products read weights in another layout, copies are what is read.
    if (kernels::optimized::library_has_winograd()) CHECK(packed);
  }
}

TEST_CASE("promises about the same weights begin and end while others last") {
  constexpr Index kRows = 3, kInner = 256, kColumns = 512, kTasks = 400;
  const Tensor x = normal_numbers({kRows, kInner}, 1), w = normal_numbers({kInner, kColumns}, 2);
  Tensor expected({kRows, kColumns});
  kernels::matmul(x.view(), w.view(), expected.view(), 0);
  parallel::set_threads(4);
  std::atomic<Index> right = 0;
  parallel::for_each(kTasks, [&](Index) {
    const ConstantWeights held(w.span());
    Tensor y({kRows, kColumns});
    kernels::matmul(x.view(), w.view(), y.view(), 0);
    if (close(expected.view(), y.view(), {.relative = 1e-4, .absolute = 1e-4})) ++right;
  });
  CHECK(right == kTasks);
}

TEST_CASE("a product with a copy of B that several share is the one without it") {
  if (!test::has_bf16()) return;
  const test::WithPrecision bf16(Precision::kBf16);
  constexpr Index kMost = 900, kIn = 70, kOut = 100;
  const Tensor x = normal_numbers({kMost, kIn}, 1), dy = normal_numbers({kMost, kOut}, 2);
  for (const Index rows : {1, 2, 31, 32, 33, 300, 700, 900}) {
    CAPTURE(rows);
    Gemm g{.trans_a = Trans::kYes,
           .m = kIn - 5,
           .n = kOut - 3,
           .k = rows,
           .a = x.data() + 2,
           .lda = kIn,
           .b = dy.data() + 1,
           .ldb = kOut};
    Tensor alone({g.m, g.n}), shared({g.m, g.n});
    g.ldc = g.n;
    std::vector<std::uint16_t> memory;
    for (Tensor* to : {&alone, &shared}) {
      if (to == &shared) g.packed_b = kernels::pack_b(g, memory);
      g.c = to->data(), g.beta = 0;
      kernels::gemm(g);
      g.beta = 1;
      kernels::gemm(g);
    }
    CHECK(close(alone.view(), shared.view(), {.relative = 1e-4, .absolute = 1e-4}));
  }
}

TEST_CASE("threads that want the same copy write each part of it once") {
  constexpr Index kParts = 9, kTasks = 16;
  const Tensor w = normal_numbers({kParts}, 1);
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    WeightCopies copies;
    for (int promise = 0; promise < 3; ++promise) {
      copies.begin(w.data());
      std::array<std::atomic<int>, kParts> times{};
      std::atomic<int> calls = 0, caught = 0, wrong = 0;
      const int failures = promise == 1 ? 2 : 0;
      const auto write = [&](void* copy, Index part) {
        if (calls++ < failures) throw std::bad_alloc();
        ++times[static_cast<std::size_t>(part)];
        static_cast<float*>(copy)[part] = static_cast<float>(promise) + w.data()[part];
      };
      parallel::for_each(kTasks, [&](Index) {
        try {
          const auto* const copy = static_cast<const float*>(
              copies.get(w.data(), 0, kParts * sizeof(float),
                         {.write = write, .parts = kParts, .of_weights_alone = false}));
          for (Index i = 0; i < kParts; ++i)
            if (copy[i] != static_cast<float>(promise) + w.data()[i]) ++wrong;
        } catch (const std::bad_alloc&) {
          ++caught;  // the other tasks have the whole copy all the same
        }
      });
      CHECK(caught == failures);
      CHECK(wrong == 0);
      CHECK(std::ranges::all_of(times, [](const auto& n) { return n == 1; }));
    }
  }
}

// Copies that are kept are written again by several threads at once.
TEST_CASE("kept copies of several weights are those of the new numbers") {
  parallel::set_threads(4);
  for (const Precision precision : {Precision::kF32, Precision::kBf16}) {
    if (precision == Precision::kBf16 && !test::has_bf16()) continue;
    const test::WithPrecision with(precision);
    const ConvShape s{.height = 28,  // Winograd's kind, where there is one
                      .width = 28,
                      .in_channels = 128,
                      .out_channels = 128,
                      .kernel_height = 3,
                      .kernel_width = 3,
                      .padding = 1};
    constexpr Index kWeights = 8;
    const Tensor x = normal_numbers(s.input(), 1);
    Tensor block({kWeights, s.weights().size()});
    Tensor gain;
    const auto results = [&] {
      Tensor all({2, kWeights, s.output().size()});
      for (Index i = 0; i < 2 * kWeights; ++i) {
        const bool multiplied = i >= kWeights;
        const ConstView w{block.data() + i % kWeights * s.weights().size(), s.weights()};
        kernels::conv2d(s, x.view(), w,
                        {.bias = {}, .skip = {}, .gain = multiplied ? gain.view() : ConstView{}},
                        {all.data() + i * s.output().size(), s.output()});
      }
      return all;
    };
    WeightCopies copies;
    for (std::uint64_t promise = 0; promise < 3; ++promise) {
      const Tensor fresh = normal_numbers(block.shape(), 7 + promise);
      std::ranges::copy(fresh.span(), block.data());
      gain = normal_numbers({s.out_channels}, 11 + promise);
      const Tensor alone = results();
      const ConstantWeights held(std::as_const(block).span(), &copies);
      CHECK(std::ranges::equal(results().span(), alone.span()));
    }
  }
}

}  // namespace saccade
