#include "experiments/benchmarks/floor.h"

#include <algorithm>

#include "core/base/random.h"
#include "core/kernels/constant_weights.h"
#include "core/kernels/pointwise.h"
#include "core/parallel/parallel.h"
#include "experiments/benchmarks/timing.h"

namespace saccade {

namespace {

// The best time of one call in ms, of at least three calls and 20 ms.
template <class Work>
double best_ms(Work work) {
  work();  // makes the primitive
  double best = milliseconds_of(work), spent = best;
  for (int calls = 1; calls < 3 || spent < 20; ++calls) {
    const double ms = milliseconds_of(work);
    best = std::min(best, ms), spent += ms;
  }
  return best;
}

Tensor random_numbers(Shape shape) {
  Tensor out(shape);
  Random random({1, Stream::kTest, 0, 0});
  for (Real& x : out.span()) x = static_cast<Real>(random.normal());
  return out;
}

double product_ms(const ProductSize& size) {
  const bool ta = size.trans_a == Trans::kYes, tb = size.trans_b == Trans::kYes;
  const Tensor a = random_numbers({ta ? size.k : size.m, ta ? size.m : size.k});
  const Tensor b = random_numbers({tb ? size.n : size.k, tb ? size.k : size.n});
  Tensor c({size.m, size.n});
  const ConstantWeights held(b.span());  // weights are packed before
  const Gemm g{.trans_a = size.trans_a,
               .trans_b = size.trans_b,
               .m = size.m,
               .n = size.n,
               .k = size.k,
               .a = a.data(),
               .lda = a.shape()[1],
               .b = b.data(),
               .ldb = b.shape()[1],
               .c = c.data(),
               .ldc = size.n};
  return best_ms([&] { kernels::gemm(g); });
}

double convolution_ms(const ConvSize& size) {
  const ConvShape& s = size.shape;
  Tensor x = random_numbers(s.input()), w = random_numbers(s.weights());
  Tensor y = random_numbers(s.output());
  const ConstantWeights held(std::as_const(w).span());
  switch (size.pass) {
    case ConvPass::kForward:
      return best_ms([&] { kernels::conv2d(s, x.view(), w.view(), {}, y.view()); });
    case ConvPass::kData: {
      Tensor dx(s.input());
      return best_ms(
          [&] { kernels::conv2d_backward(s, x.view(), w.view(), y.view(), {.dx = dx.view()}); });
    }
    case ConvPass::kWeights: {
      Tensor dw(s.weights());
      return best_ms([&] {
        kernels::conv2d_backward(s, x.view(), w.view(), y.view(),
                                 {.dw = dw.view(), .write = kernels::Write::kAssign});
      });
    }
  }
  return 0;
}

// Of one tangent, in numbers that stay in the cache.
double exponential_ms() {
  constexpr Index kNumbers = 8192;
  const Tensor x = random_numbers({kNumbers});
  Tensor y({kNumbers});
  return best_ms([&] { kernels::tanh(x.view(), y.view()); }) / kNumbers;
}

// The time that all threads need together for one number that is read or written.
double memory_ms_per_number(int threads) {
  constexpr Index kNumbers = Index{1} << 24;
  std::vector<Tensor> from, to;
  for (int t = 0; t < threads; ++t) {
    from.push_back(random_numbers({kNumbers}));
    to.emplace_back(Shape{kNumbers});
  }
  const double ms = best_ms([&] {
    parallel::for_each(threads, [&](Index t) {
      const auto at = static_cast<std::size_t>(t);
      std::copy_n(from[at].data(), kNumbers, to[at].data());
    });
  });
  return ms / (2.0 * kNumbers * threads);
}

}  // namespace

Floor measure_floor(const WorkLog& log, Index calls, int threads, Index parameters) {
  Floor floor;
  double operations = 0;
  for (const auto& [size, count] : log.products) {
    floor.products += static_cast<double>(count) * product_ms(size);
    operations += 2.0 * static_cast<double>(count * size.m * size.n) * static_cast<double>(size.k);
  }
  floor.product_gflops = floor.products > 0 ? operations / floor.products / 1e6 : 0;
  for (const auto& [size, count] : log.convolutions)
    floor.convolutions += static_cast<double>(count) * convolution_ms(size);
  floor.exponentials = static_cast<double>(log.all_exponentials) * exponential_ms();
  const double share = 1.0 / (static_cast<double>(calls) * threads);
  floor.products *= share, floor.convolutions *= share, floor.exponentials *= share;
  constexpr double kNumbersOfUpdate = 7;
  if (parameters > 0)
    floor.weights =
        kNumbersOfUpdate * static_cast<double>(parameters) * memory_ms_per_number(threads);
  return floor;
}

}  // namespace saccade
