// From scores to weights: known answers, exact zeros, and masks.
#include "core/ops/normalizers.h"

#include "core/attention/draws.h"
#include "core/ops/shape_ops.h"
#include "tests/support/catch.h"
#include "tests/support/close.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"

namespace saccade {

using test::close;
using test::noise;

namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr bool kDouble = sizeof(Real) == sizeof(double);
constexpr double kExact = kDouble ? 1e-12 : 2e-6;

using Normalizer = Var (*)(Var);
constexpr Normalizer kNormalizers[] = {ops::softmax, ops::sparsemax, ops::entmax15};

// The values of one op from scores to numbers of their shape, and its gradients for the cotangent.
struct Result {
  Tensor value, gradient;
};
template <class Op>
Result apply(const Tensor& scores, const Tensor& cotangent, Op op) {
  test::TestTape tape;
  const Var x = tape.variable(scores.view());
  const Var y = op(x);
  Result out{Tensor(scores.shape(), y.value().span()), Tensor()};
  tape.backward(std::vector<Var>{y}, std::vector<ConstView>{cotangent.view()});
  const View dx = tape.grad(x);
  out.gradient = Tensor(scores.shape(), dx.span());
  return out;
}
template <class Op>
Tensor value_of(const Tensor& scores, Op op) {
  return apply(scores, Tensor(scores.shape()), op).value;
}

Tensor row_of(std::initializer_list<Real> numbers) {
  const std::vector<Real> copy(numbers);
  return Tensor({1, static_cast<Index>(copy.size())}, copy);
}

// max(scale x - tau, 0)^power, with tau found by bisection so that the row sums to 1.
std::vector<double> bisected(const Real* x, Index n, double scale, int power) {
  std::vector<double> z(x, x + n);
  for (double& v : z) v *= scale;
  double high = *std::max_element(z.begin(), z.end()), low = high - 1;
  const auto weight = [&](double v, double tau) {
    const double above = std::max(v - tau, 0.0);
    return power == 1 ? above : above * above;
  };
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (const double v : z) sum += weight(v, middle);
    (sum >= 1 ? low : high) = middle;
  }
  for (double& v : z) v = weight(v, low);
  return z;
}

std::string error_of(const Tensor& scores, Normalizer normalize) {
  test::TestTape tape;
  try {
    normalize(tape.constant(scores.view()));
  } catch (const ShapeError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("softmax gives the weights of a worked example") {
  const Tensor y = value_of(row_of({Real(0.2), Real(2.8), Real(0.1), Real(1.5)}), ops::softmax);
  const double expected[] = {0.053, 0.707, 0.048, 0.193};
  for (Index l = 0; l < 4; ++l) CHECK(std::abs(double{y[l]} - expected[l]) <= 0.0005);
}

TEST_CASE("sparsemax and entmax15 agree with bisection and sum to 1") {
  Index zeros = 0;
  for (const Index regions : {1, 2, 7, 49, 196})
    for (const double scale : {0.1, 1.0, 20.0}) {
      CAPTURE(regions, scale);
      Tensor x = noise({20, regions}, static_cast<std::uint64_t>(regions));
      for (Real& v : x.span()) v *= static_cast<Real>(scale);
      for (const int power : {1, 2}) {
        const Tensor y = value_of(x, power == 1 ? ops::sparsemax : ops::entmax15);
        double worst = 0, worst_sum = 0;
        for (Index r = 0; r < 20; ++r) {
          const std::vector<double> expected =
              bisected(x.view().row(r), regions, power == 1 ? 1 : 0.5, power);
          double sum = 0;
          for (Index l = 0; l < regions; ++l) {
            const double got = y.view().row(r)[l];
            worst = std::max(worst, std::abs(got - expected[static_cast<std::size_t>(l)]));
            sum += got;
            zeros += got == 0;
          }
          worst_sum = std::max(worst_sum, std::abs(sum - 1));
        }
        CHECK(worst <= kExact);
        CHECK(worst_sum <= kExact);
      }
    }
  CHECK(zeros > 5000);
}

TEST_CASE("a masked region has weight and gradient exactly 0, and the others do not notice it") {
  constexpr Index kRows = 3, kRegions = 150, kKept = 100;
  const Tensor kept = noise({kRows, kKept}, 1), cotangent = noise({kRows, kRegions}, 2);
  Tensor scores({kRows, kRegions}), kept_cotangent({kRows, kKept});
  // Every third region is masked.
  const auto place = [](Index k) { return k / 2 * 3 + k % 2; };
  std::fill_n(scores.data(), scores.size(), -kInfinity);
  for (Index r = 0; r < kRows; ++r)
    for (Index k = 0; k < kKept; ++k) {
      scores.view().row(r)[place(k)] = kept.view().row(r)[k];
      kept_cotangent.view().row(r)[k] = cotangent.view().row(r)[place(k)];
    }
  for (const Normalizer normalize : kNormalizers) {
    const Result whole = apply(scores, cotangent, normalize);
    const Result alone = apply(kept, kept_cotangent, normalize);
    Tensor value(kept.shape()), gradient(kept.shape());
    for (Index r = 0; r < kRows; ++r) {
      for (Index k = 0; k < kKept; ++k) {
        value.view().row(r)[k] = whole.value.view().row(r)[place(k)];
        gradient.view().row(r)[k] = whole.gradient.view().row(r)[place(k)];
      }
      for (Index l = 2; l < kRegions; l += 3) {
        CHECK(whole.value.view().row(r)[l] == 0);
        CHECK(whole.gradient.view().row(r)[l] == 0);
      }
    }
    CHECK(close(alone.value.view(), value.view()));
    CHECK(close(alone.gradient.view(), gradient.view()));
  }
}

TEST_CASE("a row whose regions are all masked is refused by its number") {
  Tensor scores = noise({3, 2}, 3);
  scores[4] = scores[5] = -kInfinity;
  const char* const names[] = {"softmax", "sparsemax", "entmax15"};
  for (std::size_t i = 0; i < std::size(kNormalizers); ++i) {
    CHECK(error_of(scores, kNormalizers[i]) ==
          "[" + std::string(names[i]) + "] every region of row 2 is masked");
    CHECK(error_of(Tensor({3, 0}), kNormalizers[i]) ==
          "[" + std::string(names[i]) + "] row 0 has no columns in [3, 0]");
  }
  test::TestTape tape;
  const Var x = tape.constant(scores.view());
  CHECK_THROWS_WITH(ops::top_k(x, 1), "[top_k] every region of row 2 is masked");
  CHECK_THROWS_WITH(ops::gumbel_one_hot(x, 1, std::vector<Real>(6)),
                    "[gumbel_one_hot] every region of row 2 is masked");
  const Var rows = ops::first_rows(x, 2);
  CHECK_THROWS_WITH(ops::mask_scores(rows, std::vector<std::uint8_t>{0, 1, 0, 0}),
                    "[mask_scores] every region of row 1 is masked");
  CHECK_THROWS_WITH(ops::mask_scores(rows, std::vector<std::uint8_t>(3)),
                    "[mask_scores] 3 marks for [2, 2]");
  CHECK_THROWS_WITH(ops::top_k(rows, 0), "[top_k] needs k of at least 1; got 0");
  CHECK_THROWS_AS(ops::gumbel_one_hot(rows, 0, std::vector<Real>(4)), ShapeError);
  CHECK_THROWS_AS(ops::gumbel_one_hot(rows, 1, std::vector<Real>(3)), ShapeError);
}

// If a NaN got lost, nobody would see that a run diverged.
TEST_CASE("every normalizer passes NaN on") {
  for (const Index place : {0, 3}) {
    Tensor scores = noise({1, 5}, 4);
    scores[place] = std::numeric_limits<Real>::quiet_NaN();
    for (const Normalizer normalize : kNormalizers)
      CHECK(std::isnan(value_of(scores, normalize)[place]));
    CHECK(std::isnan(value_of(scores, [](Var x) { return ops::top_k(x, 2); })[place]));
    CHECK(std::isnan(value_of(
        scores, [](Var x) { return ops::gumbel_one_hot(x, 1, std::vector<Real>(5)); })[place]));
  }
}

TEST_CASE("top_k keeps the largest, of equal ones the first, and gives a gradient only to them") {
  const Tensor scores({2, 5}, std::vector<Real>{1, 3, 2, 3, 2, 0, 0, 0, 0, 0});
  const Tensor cotangent = noise({2, 5}, 5);
  const Result three = apply(scores, cotangent, [](Var x) { return ops::top_k(x, 3); });
  const std::vector<bool> kept{false, true, true, true, false, true, true, true, false, false};
  for (Index i = 0; i < 10; ++i) {
    const bool keep = kept[static_cast<std::size_t>(i)];
    CHECK(three.value[i] == (keep ? scores[i] : -kInfinity));
    CHECK(three.gradient[i] == (keep ? cotangent[i] : Real{0}));
  }
  CHECK(close(scores.view(), value_of(scores, [](Var x) { return ops::top_k(x, 9); }).view()));
}

TEST_CASE("mask_scores masks all rows alike or row by row") {
  const Tensor scores = noise({2, 3}, 6), cotangent = noise({2, 3}, 7);
  const std::vector<std::uint8_t> for_all{0, 1, 1}, by_row{1, 0, 0, 1, 1, 0};
  for (const auto& allowed : {for_all, by_row}) {
    const Result got =
        apply(scores, cotangent, [&](Var x) { return ops::mask_scores(x, allowed); });
    for (Index i = 0; i < 6; ++i) {
      const bool keep = allowed[static_cast<std::size_t>(i) % allowed.size()] != 0;
      CHECK(got.value[i] == (keep ? scores[i] : -kInfinity));
      CHECK(got.gradient[i] == (keep ? cotangent[i] : Real{0}));
    }
  }
}

TEST_CASE(
    "gumbel_one_hot draws regions with the probabilities of softmax, and never a masked one") {
  const Tensor scores = row_of({Real(0.2), -kInfinity, Real(1.4), Real(-0.5), Real(0.9)});
  const Tensor p = value_of(scores, ops::softmax);
  constexpr int kDraws = 20000;
  std::vector<int> counts(5);
  test::TestTape tape;
  for (int i = 0; i < kDraws; ++i) {
    tape.reset();
    std::vector<Real> g(5);
    gumbel_noise({3, Stream::kTest, 0, static_cast<std::uint64_t>(i)}, g);
    const ConstView y = ops::gumbel_one_hot(tape.constant(scores.view()), 1, g).value();
    REQUIRE(std::accumulate(y.span().begin(), y.span().end(), Real{0}) == 1);
    for (Index l = 0; l < 5; ++l) counts[static_cast<std::size_t>(l)] += y[l] == 1;
  }
  for (std::size_t l = 0; l < 5; ++l) {
    CAPTURE(l);
    const double share = p[static_cast<Index>(l)];
    const double deviation = std::sqrt(share * (1 - share) * kDraws);
    CHECK(std::abs(counts[l] - share * kDraws) <= 3.5 * deviation);
  }
}

TEST_CASE("gumbel_one_hot takes the first of equal ones, and gives masked scores no gradient") {
  const Tensor scores({2, 3}, std::vector<Real>{1, 2, 0, 5, -kInfinity, 5});
  const std::vector<Real> g{1, 0, 0, 0, 9, 0};
  const Result got =
      apply(scores, noise({2, 3}, 8), [&](Var x) { return ops::gumbel_one_hot(x, Real(0.5), g); });
  CHECK(close(Tensor({2, 3}, std::vector<Real>{1, 0, 0, 1, 0, 0}).view(), got.value.view()));
  CHECK(got.gradient[4] == 0);
  CHECK(got.gradient[3] != 0);
}

}  // namespace saccade
