// The optimized kernels against their reference versions, in float.
#include <bit>

#include "core/base/random.h"
#include "core/kernels/attention_memory.h"
#include "core/kernels/gemm.h"
#include "core/kernels/pointwise.h"
#include "tests/support/catch.h"
#include "tests/support/close.h"
#include "tests/support/with_precision.h"

namespace saccade {

using test::close;

namespace {

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

// N(0, 1) numbers times `scale`. No two tensors of a source are equal.
class Source {
 public:
  Tensor operator()(Shape shape, double scale = 1) {
    Tensor out(shape);
    Random random({1, Stream::kTest, 0, ++drawn_});
    for (Real& x : out.span()) x = static_cast<Real>(scale * random.normal());
    return out;
  }

 private:
  std::uint64_t drawn_ = 0;
};

Tensor filled(Shape shape, Real value) {
  Tensor out(shape);
  for (Real& x : out.span()) x = value;
  return out;
}

struct Extents {
  Index m, n, k;
};

// Odd sizes, one row, one column, and sizes for oneDNN's primitive of few rows (>= 64).
constexpr Extents kExtents[] = {{1, 1, 1},   {3, 5, 7},    {17, 1, 33}, {1, 65, 70},
                                {5, 67, 65}, {64, 64, 64}, {70, 31, 2}};

void check_gemm(const Extents& s, Trans ta, Trans tb, Index padding, Real alpha, Real beta,
                Precision precision = Precision::kF32) {
  CAPTURE(s.m, s.n, s.k, ta == Trans::kYes, tb == Trans::kYes, padding, alpha, beta);
  Source random;
  const bool at = ta == Trans::kYes, bt = tb == Trans::kYes;
  const Index lda = (at ? s.m : s.k) + padding, ldb = (bt ? s.k : s.n) + padding;
  const Index ldc = s.n + padding;
  const double scale = 1 / std::sqrt(static_cast<double>(s.k) + 1);
  const Tensor a = random({std::max<Index>(at ? s.k : s.m, 1), std::max<Index>(lda, 1)}, scale);
  const Tensor b = random({std::max<Index>(bt ? s.n : s.k, 1), std::max<Index>(ldb, 1)});
  Tensor optimized = random({s.m, ldc});
  if (beta == 0)  // the content of C must not matter then
    for (Index r = 0; r < s.m; ++r) std::fill_n(optimized.view().row(r), s.n, kNan);
  Tensor reference = optimized.clone();
  Gemm g{.trans_a = ta,
         .trans_b = tb,
         .m = s.m,
         .n = s.n,
         .k = s.k,
         .alpha = alpha,
         .a = a.data(),
         .lda = std::max<Index>(lda, 1),
         .b = b.data(),
         .ldb = std::max<Index>(ldb, 1),
         .beta = beta,
         .c = optimized.data(),
         .ldc = ldc,
         .precision = precision};
  kernels::optimized::gemm(g);
  g.c = reference.data();
  kernels::reference::gemm(g);
  // The padding belongs to something else, so it is compared, too.
  CHECK(close(reference.view(), optimized.view(), {.absolute = 2e-6}));
}

}  // namespace

TEST_CASE("close refuses comparisons that prove nothing") {
  const Tensor one({2}, std::vector<Real>{1, 2}), other({2}, std::vector<Real>{1, 2.001F});
  const Tensor nan({2}, std::vector<Real>{1, kNan}), row({1, 2}, std::vector<Real>{1, 2});
  CHECK(close(one.view(), one.view()));
  CHECK_FALSE(close(one.view(), other.view()));
  CHECK_FALSE(close(one.view(), nan.view()));
  CHECK_FALSE(close(nan.view(), nan.view()));
  CHECK_FALSE(close(one.view(), row.view()));
  CHECK_FALSE(close(ConstView{}, one.view()));
  CHECK_FALSE(close(Tensor({0}).view(), Tensor({0}).view()));
}

TEST_CASE("oneDNN's products agree with the reference") {
  for (const Extents& s : kExtents)
    for (const Trans ta : {Trans::kNo, Trans::kYes})
      for (const Trans tb : {Trans::kNo, Trans::kYes})
        for (const Index padding : {0, 3})
          for (const Real beta : {0.0F, 1.0F, 0.5F}) {
            check_gemm(s, ta, tb, padding, 1, beta);
            check_gemm(s, ta, tb, padding, -0.3F, beta);
          }
}

TEST_CASE("products of rounded operands agree with the reference") {
  if (!test::has_bf16()) return;
  for (const Extents& s : kExtents)
    for (const Trans ta : {Trans::kNo, Trans::kYes})
      for (const Trans tb : {Trans::kNo, Trans::kYes})
        for (const Real beta : {0.0F, 0.5F}) {
          check_gemm(s, ta, tb, 0, 1, beta, Precision::kBf16);
          check_gemm(s, ta, tb, 3, -0.3F, beta, Precision::kBf16);
        }
}

TEST_CASE("rounding to bfloat16 takes the nearest number, the even one of two") {
  const auto rounded = [](float x) {
    std::uint16_t upper = 0;
    round_to_bf16({&x, 1}, &upper);
    return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16);
  };
  const float step = 1.0F / 128;  // between bfloat16 numbers from 1 to 2
  for (const float exact : {0.0F, -0.0F, 1.0F, -1.5F, 1 + step}) CHECK(rounded(exact) == exact);
  CHECK(rounded(1 + 0.49F * step) == 1);
  CHECK(rounded(1 + 0.51F * step) == 1 + step);
  CHECK(rounded(1 + 0.5F * step) == 1);
  CHECK(rounded(1 + 1.5F * step) == 1 + 2 * step);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(rounded(infinity) == infinity);
  CHECK(rounded(-infinity) == -infinity);
  CHECK(rounded(std::numeric_limits<float>::max()) == infinity);
  CHECK(std::isnan(rounded(kNan)));
  CHECK(std::isnan(rounded(std::bit_cast<float>(0x7f800001U))));  // its upper half is infinity
}

// A row must not depend on the batch that it is in, nor a product on how kernels are cut.
TEST_CASE("which products are rounded depends on the weights alone") {
  if (!test::has_bf16()) return;
  const test::WithPrecision bf16(Precision::kBf16);
  Source random;
  const auto rounds = [&](Index rows, Index in, Index out) {
    const Tensor x = random({rows, in}), w = random({in, out});
    Tensor y({rows, out}), whole({rows, out});
    kernels::matmul(x.view(), w.view(), y.view(), 0);
    kernels::reference::gemm({.m = rows,
                              .n = out,
                              .k = in,
                              .a = x.data(),
                              .lda = in,
                              .b = w.data(),
                              .ldb = out,
                              .c = whole.data(),
                              .ldc = out});
    return !close(whole.view(), y.view(), {.relative = 1e-4, .absolute = 1e-4});
  };
  for (const Index rows : {1, 2, 40}) {
    CHECK(rounds(rows, 64, 64));
    CHECK_FALSE(rounds(rows, 64, 16));
    CHECK_FALSE(rounds(rows, 16, 64));
  }
}

// oneDNN leaves C as it is where there is nothing to add up, whatever beta is.
TEST_CASE("a product of no terms is beta C") {
  for (const Real beta : {0.0F, 0.5F}) check_gemm({2, 3, 0}, Trans::kNo, Trans::kNo, 0, 1, beta);
}

TEST_CASE("the reference product is the defining sum") {
  Source random;
  const Tensor a = random({3, 4}), b = random({4, 5}), start = random({3, 5});
  Tensor expected({3, 5}), got = start.clone();
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 5; ++j) {
      double sum = 0;
      for (Index k = 0; k < 4; ++k) sum += double{a[i * 4 + k]} * b[k * 5 + j];
      expected[i * 5 + j] = static_cast<Real>(2 * sum + 0.5 * start[i * 5 + j]);
    }
  kernels::reference::gemm({.m = 3,
                            .n = 5,
                            .k = 4,
                            .alpha = 2,
                            .a = a.data(),
                            .lda = 4,
                            .b = b.data(),
                            .ldb = 5,
                            .beta = 0.5F,
                            .c = got.data(),
                            .ldc = 5});
  CHECK(close(expected.view(), got.view()));
}

TEST_CASE("element-wise kernels agree with their reference versions") {
  Source random;
  for (const double scale : {0.01, 1.0, 30.0}) {
    CAPTURE(scale);
    const Tensor x = random({7, 19}, scale);
    using Kernel = void (*)(ConstView, View);
    for (const auto& [kernel, plain] :
         {std::pair<Kernel, Kernel>{kernels::tanh, kernels::reference::tanh},
          {kernels::sigmoid, kernels::reference::sigmoid},
          {kernels::gelu, kernels::reference::gelu},
          {kernels::softmax, kernels::reference::softmax}}) {
      Tensor optimized = filled(x.shape(), kNan), reference = filled(x.shape(), kNan);
      kernel(x.view(), optimized.view());
      plain(x.view(), reference.view());
      CHECK(close(reference.view(), optimized.view()));
    }
    Tensor masked = random({7, 150}, scale);  // masked except a few numbers of each row
    for (Index i = 0; i < masked.size(); ++i)
      if (i % 7 != 0) masked[i] = -std::numeric_limits<Real>::infinity();
    Tensor expected(masked.shape());
    kernels::reference::softmax(masked.view(), expected.view());
    kernels::softmax(masked.view(), masked.view());
    CHECK(close(expected.view(), masked.view()));
    for (Index i = 0; i < masked.size(); ++i)
      if (i % 7 != 0) REQUIRE((masked[i] == 0 && expected[i] == 0));
  }
}

TEST_CASE("softmax and cross-entropy stay finite on extreme logits") {
  const Tensor x({2, 3}, std::vector<Real>{1e30F, -1e30F, 0, -2000, -2001, -3000});
  Tensor y(x.shape()), nll({2}), lse({2});
  kernels::softmax(x.view(), y.view());
  const Real second = 1 / (1 + std::exp(1.0F));
  CHECK(close(Tensor({2, 3}, std::vector<Real>{1, 0, 0, 1 - second, second, 0}).view(), y.view()));
  kernels::cross_entropy(x.view(), std::vector<int>{0, 1}, nll.view(), lse.view());
  CHECK(close(Tensor({2}, std::vector<Real>{0, -std::log(second)}).view(), nll.view(),
              {.absolute = 2e-4}));  // the log of the sum is near -2000
}

// If a NaN got lost, nobody would see that a run diverged.
TEST_CASE("NaN stays where it was") {
  for (const Index place : {0, 3, 18}) {
    CAPTURE(place);
    Tensor x = filled({1, 19}, 1);
    x[place] = kNan;
    Tensor y(x.shape()), nll({1}), lse({1});
    for (auto kernel : {kernels::tanh, kernels::sigmoid, kernels::relu, kernels::gelu, kernels::exp,
                        kernels::softmax}) {
      kernel(x.view(), y.view());
      CHECK(std::isnan(y[place]));
    }
    kernels::cross_entropy(x.view(), std::vector<int>{1}, nll.view(), lse.view());
    CHECK(std::isnan(nll[0]));
  }
}

TEST_CASE("cross_entropy agrees with its reference version") {
  Source random;
  for (const Index classes : {1, 5, 1003}) {
    CAPTURE(classes);
    const Tensor logits = random({4, classes}, 3);
    const int last = static_cast<int>(classes) - 1;
    const std::vector<int> targets{0, last, last / 2, last};
    Tensor nll = filled({4}, kNan), lse = filled({4}, kNan);
    Tensor expected_nll({4}), expected_lse({4});
    kernels::cross_entropy(logits.view(), targets, nll.view(), lse.view());
    kernels::reference::cross_entropy(logits.view(), targets, expected_nll.view(),
                                      expected_lse.view());
    CHECK(close(expected_nll.view(), nll.view(), {.absolute = 2e-6}));
    CHECK(close(expected_lse.view(), lse.view(), {.absolute = 2e-6}));

    // Backward against softmax - onehot, assigned over NaN and added to existing numbers.
    const Tensor dnll = random({4}), start = random({4, classes});
    Tensor assigned = filled(logits.shape(), kNan), added = start.clone();
    Tensor expected(logits.shape()), expected_added(logits.shape());
    kernels::reference::softmax(logits.view(), expected.view());
    for (Index r = 0; r < 4; ++r) {
      expected.view().row(r)[targets[static_cast<std::size_t>(r)]] -= 1;
      for (Index c = 0; c < classes; ++c) expected.view().row(r)[c] *= dnll[r];
    }
    for (Index i = 0; i < expected.size(); ++i) expected_added[i] = expected[i] + start[i];
    kernels::cross_entropy_backward(logits.view(), targets, lse.view(), dnll.view(),
                                    assigned.view(), kernels::Write::kAssign);
    kernels::cross_entropy_backward(logits.view(), targets, lse.view(), dnll.view(), added.view(),
                                    kernels::Write::kAccumulate);
    CHECK(close(expected.view(), assigned.view()));
    CHECK(close(expected_added.view(), added.view()));
  }
}

TEST_CASE("gru_cell agrees with its reference version") {
  Source random;
  for (const Index width : {1, 7, 64}) {
    CAPTURE(width);
    const Tensor input = random({3, 3 * width}, 2), hidden = random({3, 3 * width}, 2);
    const Tensor h_prev = random({3, width});
    Tensor optimized = input.clone(), reference = input.clone();
    Tensor got = filled({3, width}, kNan), expected = filled({3, width}, kNan);
    kernels::gru_cell(optimized.view(), hidden.view(), h_prev.view(), got.view());
    kernels::reference::gru_cell(reference.view(), hidden.view(), h_prev.view(), expected.view());
    CHECK(close(reference.view(), optimized.view()));
    CHECK(close(expected.view(), got.view()));
  }
}

TEST_CASE("lstm_cell agrees with its reference version") {
  Source random;
  for (const Index width : {1, 7, 64}) {
    CAPTURE(width);
    const Tensor gates = random({3, 4 * width}, 2), c_prev = random({3, width});
    Tensor optimized = gates.clone(), reference = gates.clone();
    std::vector<Tensor> got, expected;  // c, tanh(c), h
    for (int i = 0; i < 3; ++i) {
      got.push_back(filled({3, width}, kNan));
      expected.push_back(filled({3, width}, kNan));
    }
    kernels::lstm_cell(optimized.view(), c_prev.view(), got[0].view(), got[1].view(),
                       got[2].view());
    kernels::reference::lstm_cell(reference.view(), c_prev.view(), expected[0].view(),
                                  expected[1].view(), expected[2].view());
    CHECK(close(reference.view(), optimized.view()));
    for (std::size_t i = 0; i < 3; ++i) CHECK(close(expected[i].view(), got[i].view()));
  }
}

namespace {

// Groups of one and of three, with the last one cut short; one region; widths that fill no
// register.
struct MemoryCase {
  Index memories, regions, width, rows, group;
};
constexpr MemoryCase kMemoryCases[] = {{3, 5, 7, 3, 1},  {1, 1, 1, 1, 1}, {2, 4, 33, 6, 3},
                                       {2, 9, 16, 5, 3}, {4, 3, 5, 2, 1}, {2, 6, 9, 70, 40}};

}  // namespace

TEST_CASE("the additive score and its gradient agree with their reference versions") {
  for (const MemoryCase& s : kMemoryCases) {
    CAPTURE(s.memories, s.regions, s.width, s.rows, s.group);
    Source random;
    const Tensor keys = random({s.memories, s.regions, s.width});
    const Tensor query = random({s.rows, s.width}), v = random({s.width});
    Tensor optimized = filled({s.rows, s.regions}, kNan),
           reference = filled({s.rows, s.regions}, kNan);
    kernels::additive_score(keys.view(), query.view(), v.view(), s.group, optimized.view());
    kernels::reference::additive_score(keys.view(), query.view(), v.view(), s.group,
                                       reference.view());
    CHECK(close(reference.view(), optimized.view(), {.absolute = 1e-5}));

    Tensor de = random({s.rows, s.regions});
    de[0] = 0;  // the optimized version skips zeros
    const Tensor starts[] = {random(keys.shape()), random(query.shape()), random(v.shape())};
    std::vector<Tensor> got, expected;
    for (const Tensor& start : starts) {
      got.push_back(start.clone());
      expected.push_back(start.clone());
    }
    kernels::additive_score_backward(keys.view(), query.view(), v.view(), s.group, de.view(),
                                     got[0].view(), got[1].view(), got[2].view());
    kernels::reference::additive_score_backward(keys.view(), query.view(), v.view(), s.group,
                                                de.view(), expected[0].view(), expected[1].view(),
                                                expected[2].view());
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(close(expected[i].view(), got[i].view(), {.absolute = 1e-5}));
  }
}

TEST_CASE("sums over a memory agree with their reference versions") {
  for (const MemoryCase& s : kMemoryCases)
    for (const Real beta : {0.0F, 1.0F, 0.5F}) {
      CAPTURE(s.memories, s.regions, s.width, s.rows, s.group, beta);
      Source random;
      const Real scale = -0.7F;
      const Tensor memory = random({s.memories, s.regions, s.width});
      const Tensor query = random({s.rows, s.width});
      Tensor weights = random({s.rows, s.regions});
      weights[0] = 0;

      const Shape scores{s.rows, s.regions};
      Tensor optimized = beta == 0 ? filled(scores, kNan) : random(scores),
             reference = optimized.clone();
      kernels::memory_dot(memory.view(), query.view(), s.group, scale, beta, optimized.view());
      kernels::reference::memory_dot(memory.view(), query.view(), s.group, scale, beta,
                                     reference.view());
      CHECK(close(reference.view(), optimized.view(), {.absolute = 1e-5}));

      optimized = beta == 0 ? filled(query.shape(), kNan) : random(query.shape());
      reference = optimized.clone();
      kernels::memory_sum(memory.view(), weights.view(), s.group, scale, beta, optimized.view());
      kernels::reference::memory_sum(memory.view(), weights.view(), s.group, scale, beta,
                                     reference.view());
      CHECK(close(reference.view(), optimized.view(), {.absolute = 1e-5}));

      optimized = random(memory.shape());
      reference = optimized.clone();
      kernels::memory_outer(weights.view(), query.view(), s.group, scale, optimized.view());
      kernels::reference::memory_outer(weights.view(), query.view(), s.group, scale,
                                       reference.view());
      CHECK(close(reference.view(), optimized.view(), {.absolute = 1e-5}));
    }
}

}  // namespace saccade
