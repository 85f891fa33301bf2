#include "core/kernels/precision.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/base/error.h"
#include "core/kernels/gemm.h"

namespace saccade {

namespace {

std::atomic<Precision>& current_precision() {
  static std::atomic<Precision> current{Precision::kF32};
  return current;
}

// The seconds of the fastest of some products [256, 512] [512, 2048], which are those of a decoder.
double product_seconds(Precision precision) {
  using Clock = std::chrono::steady_clock;
  constexpr Index kRows = 256, kInner = 512, kColumns = 2048;
  Tensor a({kRows, kInner}), b({kInner, kColumns}), c({kRows, kColumns});
  std::fill(a.data(), a.data() + a.size(), Real{1});
  std::fill(b.data(), b.data() + b.size(), Real{1});
  double least = 0;
  for (int round = 0; round < 5; ++round) {  // the first one makes the primitive
    const Clock::time_point start = Clock::now();
    kernels::optimized::gemm({.m = kRows,
                              .n = kColumns,
                              .k = kInner,
                              .a = a.data(),
                              .lda = kInner,
                              .b = b.data(),
                              .ldb = kColumns,
                              .c = c.data(),
                              .ldc = kColumns,
                              .precision = precision});
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    least = round == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

#if defined(__x86_64__)
// Rounds as many numbers as fill whole registers, and returns how many.
__attribute__((target("avx512f,avx512bw,avx512bf16"))) std::size_t round_by_processor(
    std::span<const float> x, std::uint16_t* to) {
  constexpr std::size_t kTogether = 32;
  std::size_t i = 0;
  for (; i + kTogether <= x.size(); i += kTogether) {
    const __m512 low = _mm512_loadu_ps(x.data() + i), high = _mm512_loadu_ps(x.data() + i + 16);
    const __m512bh both = _mm512_cvtne2ps_pbh(high, low);
    std::memcpy(to + i, &both, sizeof(both));
  }
  return i;
}
#endif

}  // namespace

bool multiplies_bf16() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx512bf16") != 0;
  return has;
#else
  return false;
#endif
}

void set_precision(Precision precision) {
  if (precision == Precision::kBf16 && !multiplies_bf16())
    throw UsageError(
        "precision bf16 needs a processor with AVX-512 BF16, which this one lacks; choose f32, or "
        "auto, which takes f32 here");
  current_precision().store(precision, std::memory_order_relaxed);
}

Precision precision() { return current_precision().load(std::memory_order_relaxed); }

double measure_bf16_speedup() {
  if (!multiplies_bf16()) return 0;
  return product_seconds(Precision::kF32) / product_seconds(Precision::kBf16);
}

void round_to_bf16(std::span<const float> x, std::uint16_t* to) {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (multiplies_bf16()) i = round_by_processor(x, to);
#endif
  for (; i < x.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(x[i]);
    // Adding half of the last place rounds to nearest; the kept part's last bit breaks ties.
    const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    const bool nan = (bits & 0x7fffffffU) > 0x7f800000U, tiny = (bits & 0x7f800000U) == 0;
    to[i] = static_cast<std::uint16_t>((nan    ? bits | 0x400000U
                                        : tiny ? bits & 0x80000000U
                                               : rounded) >>
                                       16);
  }
}

}  // namespace saccade
