// The optimized normalisation against its reference version, and what normalisation promises.
#include "core/kernels/norm.h"

#include "core/base/random.h"
#include "core/kernels/pool.h"
#include "core/kernels/truncated_svd.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using test::difference;
using test::noise;

namespace {

struct Normalised {
  Tensor y, mean, rstd, dx, dgamma, dbeta;
};

}  // namespace

TEST_CASE("group norm agrees with its reference version") {
  const GroupNormShape shapes[] = {{2, 1024, 32, 4}, {3, 35, 96, 8}, {1, 1, 8, 2},
                                   {2, 9, 52, 13},   {2, 16, 7, 7},  {1, 50, 5, 1}};
  std::uint64_t draw = 0;
  for (const GroupNormShape& s : shapes)
    for (const Activation f : {Activation::kNone, Activation::kRelu, Activation::kRelu6}) {
      CAPTURE(s.batch, s.positions, s.channels, s.groups, static_cast<int>(f));
      const Shape images{s.batch, s.positions, s.channels}, channels{s.channels};
      const Shape groups{s.batch, s.groups};
      const Tensor x = noise(images, ++draw, 3), dy = noise(images, ++draw);
      const Tensor gamma = noise(channels, ++draw, 1), beta = noise(channels, ++draw);
      const Tensor before = noise(images, ++draw), add = noise(channels, ++draw);
      const auto run = [&](auto forward, auto backward, kernels::Write write) {
        Normalised n{Tensor(images), Tensor(groups), Tensor(groups),
                     before.clone(), add.clone(),    add.clone()};
        forward(s, f, 1e-5, x.view(), gamma.view(), beta.view(), n.y.view(), n.mean.view(),
                n.rstd.view());
        backward(s, f, x.view(), gamma.view(), n.y.view(), n.mean.view(), n.rstd.view(), dy.view(),
                 kernels::NormGradients{n.dx.view(), n.dgamma.view(), n.dbeta.view(), write});
        return n;
      };
      for (const auto write : {kernels::Write::kAssign, kernels::Write::kAccumulate}) {
        const Normalised optimized = run(kernels::group_norm, kernels::group_norm_backward, write);
        const Normalised reference =
            run(kernels::reference::group_norm, kernels::reference::group_norm_backward, write);
        CHECK(difference(reference.y, optimized.y) <= 1e-5);
        CHECK(difference(reference.mean, optimized.mean) <= 1e-5);
        CHECK(difference(reference.rstd, optimized.rstd) <= 1e-5);
        CHECK(difference(reference.dx, optimized.dx) <= 1e-5);
        CHECK(difference(reference.dgamma, optimized.dgamma) <= 1e-5);
        CHECK(difference(reference.dbeta, optimized.dbeta) <= 1e-5);
      }
    }
}

TEST_CASE("the normalisation of a sample does not depend on its batch, to the bit") {
  const Index positions = 20, channels = 24;
  const Tensor x = noise({3, positions, channels}, 1);
  const Tensor gamma = noise({channels}, 2), beta = noise({channels}, 3);
  Tensor together({3, positions, channels}), mean({3, 4}), rstd({3, 4});
  kernels::group_norm({3, positions, channels, 4}, Activation::kRelu, 1e-5, x.view(), gamma.view(),
                      beta.view(), together.view(), mean.view(), rstd.view());
  for (Index b = 0; b < 3; ++b) {
    const Shape image{1, positions, channels};
    Tensor alone(image);
    kernels::group_norm({1, positions, channels, 4}, Activation::kRelu, 1e-5,
                        {x.data() + b * image.size(), image}, gamma.view(), beta.view(),
                        alone.view(), mean.view(), rstd.view());
    CHECK(std::equal(alone.span().begin(), alone.span().end(), together.data() + b * image.size()));
  }
}

namespace {

std::vector<Real> values(const Tensor& t) { return {t.span().begin(), t.span().end()}; }

}  // namespace

TEST_CASE("pooling of a known image") {
  // 3 x 3 pixels of two channels: 1 .. 9 and their negatives.
  Tensor x({1, 3, 3, 2});
  for (Index p = 0; p < 9; ++p) {
    x[2 * p] = static_cast<Real>(p + 1);
    x[2 * p + 1] = -static_cast<Real>(p + 1);
  }
  const PoolShape shape{
      .batch = 1, .height = 3, .width = 3, .channels = 2, .kernel = 2, .stride = 2, .padding = 1};
  REQUIRE(shape.output() == Shape{1, 2, 2, 2});
  Tensor y(shape.output());
  std::vector<int> where(8);
  kernels::max_pool(shape, x.view(), y.view(), where);
  CHECK(values(y) == std::vector<Real>{1, -1, 3, -2, 7, -4, 9, -5});
  CHECK(where == std::vector<int>{0, 0, 2, 1, 6, 3, 8, 4});
  kernels::avg_pool(shape, x.view(), y.view());
  CHECK(values(y) == std::vector<Real>{1, -1, 2.5, -2.5, 5.5, -5.5, 7, -7});
}

TEST_CASE("a maximum does not hide a NaN, and the first of equal numbers is chosen") {
  const PoolShape shape{.height = 2, .width = 2, .channels = 1};
  Tensor y(shape.output());
  std::vector<int> where(1);
  constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  for (Index place = 0; place < 4; ++place) {
    Tensor x(shape.input(), std::vector<Real>{1, 5, 5, 2});
    kernels::max_pool(shape, x.view(), y.view(), where);
    CHECK(y[0] == 5);
    CHECK(where[0] == 1);
    x[place] = kNan;
    kernels::max_pool(shape, x.view(), y.view(), where);
    CHECK(std::isnan(y[0]));
  }
}

TEST_CASE("a truncated SVD finds the singular values and vectors that a matrix was made of") {
  // A = sum_k s_k u_k v_k' with orthonormal cosines for u and v.
  constexpr Index kRows = 40, kCols = 60;
  const std::vector<double> singular{9, 5, 2, 0.5};
  const auto cosine = [](Index k, Index i, Index n) {
    return std::sqrt(2.0 / static_cast<double>(n)) *
           std::cos(M_PI * static_cast<double>(k + 1) * (static_cast<double>(i) + 0.5) /
                    static_cast<double>(n));
  };
  std::vector<kernels::SparseEntry> entries;
  for (Index r = 0; r < kRows; ++r)
    for (Index c = 0; c < kCols; ++c) {
      double value = 0;
      for (std::size_t k = 0; k < singular.size(); ++k)
        value += singular[k] * cosine(static_cast<Index>(k), r, kRows) *
                 cosine(static_cast<Index>(k), c, kCols);
      entries.push_back({.row = r, .col = c, .value = value / 2});
      entries.push_back({.row = r, .col = c, .value = value / 2});
    }
  const kernels::TruncatedSvd svd = kernels::truncated_svd(entries, kRows, kCols, 3, 1);
  REQUIRE(svd.rank == 3);
  for (Index k = 0; k < 3; ++k) {
    CAPTURE(k);
    CHECK(svd.singular[static_cast<std::size_t>(k)] ==
          Approx(singular[static_cast<std::size_t>(k)]));
    double along = 0;
    for (Index r = 0; r < kRows; ++r)
      along += svd.left[static_cast<std::size_t>(r * 3 + k)] * cosine(k, r, kRows);
    CHECK(std::abs(along) == Approx(1));
  }
  CHECK(kernels::truncated_svd(entries, kRows, kCols, 3, 1).left == svd.left);
}

TEST_CASE("a rank above the matrix's is cut, and entries outside the matrix are refused") {
  const std::vector<kernels::SparseEntry> one{{.row = 1, .col = 0, .value = -3}};
  const kernels::TruncatedSvd svd = kernels::truncated_svd(one, 2, 5, 8, 1);
  CHECK(svd.rank == 2);
  CHECK(svd.singular[0] == Approx(3));
  CHECK(svd.singular[1] == Approx(0).margin(1e-9));
  CHECK(svd.left[2] == Approx(1));
  CHECK(kernels::truncated_svd({}, 0, 0, 4, 1).rank == 0);
  CHECK_THROWS_AS(kernels::truncated_svd(one, 1, 1, 1, 1), ShapeError);
}

}  // namespace saccade
