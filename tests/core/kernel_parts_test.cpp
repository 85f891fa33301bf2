// Kernels that are cut into parts: when they are, that they compute what the whole kernel does, and
// that the number of threads changes no bit. Parts are counted, so that a kernel that is no longer
// cut fails.
#include "core/parallel/kernel_parts.h"

#include <atomic>
#include <stdexcept>

#include "core/kernels/attention_memory.h"
#include "core/kernels/batch_norm.h"
#include "core/kernels/conv.h"
#include "core/kernels/gemm.h"
#include "core/kernels/norm.h"
#include "core/kernels/pool.h"
#include "core/kernels/sdpa.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using test::difference;
using test::noise;

namespace {

// A kernel that writes its result to its argument.
using Kernel = std::function<void(Tensor& out)>;

// Checks that the kernel is cut into at least `parts` parts.
void check_parts(const std::string& name, const Shape& result, const Kernel& kernel, Index parts) {
  INFO(name);
  const int before = parallel::threads();
  Tensor whole(result);
  {
    const parallel::CountParts none;
    kernel(whole);
    CHECK(none.parts() == 0);
  }
  std::vector<Tensor> cut;
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    const parallel::SplitKernels split;
    const parallel::CountParts count;
    kernel(cut.emplace_back(result));
    CHECK(count.parts() >= parts);
    CHECK(std::equal(cut[0].span().begin(), cut[0].span().end(), cut.back().span().begin()));
  }
  CHECK(difference(whole, cut[0]) <= 2e-5);  // each may be 1e-5 from the reference
  // Inside tasks, which run on this thread here, kernels are whole, to the bit.
  parallel::set_threads(1);
  Tensor inside(result);
  const parallel::SplitKernels split;
  const parallel::CountParts count;
  parallel::for_each(2, [&](Index i) {
    if (i == 0) kernel(inside);
  });
  CHECK(count.parts() == 0);
  CHECK(std::equal(whole.span().begin(), whole.span().end(), inside.span().begin()));
  parallel::set_threads(before);
}

void check_conv(const std::string& name, const ConvShape& s, Index parts, bool skip = false) {
  const Tensor x = noise(s.input(), 1), w = noise(s.weights(), 2),
               bias = noise({s.out_channels}, 3);
  const Tensor added = noise(s.output(), 4);
  const kernels::ConvEpilogue epilogue{.bias = bias.view(),
                                       .skip = skip ? added.view() : ConstView{},
                                       .activation = Activation::kRelu};
  check_parts(
      name, s.output(),
      [&](Tensor& out) { kernels::conv2d(s, x.view(), w.view(), epilogue, out.view()); }, parts);
}

ConvShape square(Index side, Index in, Index out, Index kernel) {
  return {.height = side,
          .width = side,
          .in_channels = in,
          .out_channels = out,
          .kernel_height = kernel,
          .kernel_width = kernel,
          .padding = kernel / 2};
}

}  // namespace

TEST_CASE("kernels are cut on request, outside of tasks, and where there is enough to do") {
  const Index enough = 100 * parallel::kPartCost;
  CHECK(parallel::kernel_parts(100, enough) == 1);
  {
    const parallel::SplitKernels split;
    CHECK(parallel::kernel_parts(100, enough) == parallel::kMostParts);
    CHECK(parallel::kernel_parts(100, 4 * parallel::kPartCost) == 4);
    CHECK(parallel::kernel_parts(100, 4 * parallel::kPartCost - 1) == 2);
    CHECK(parallel::kernel_parts(100, 2 * parallel::kPartCost - 1) == 1);
    CHECK(parallel::kernel_parts(3, enough) == 2);
    CHECK(parallel::kernel_parts(0, 0) == 1);
    std::atomic<int> cut = 0;
    parallel::for_each(2, [&](Index) { cut += parallel::splits_kernels() ? 1 : 0; });
    CHECK(cut == 0);
    { const parallel::SplitKernels again; }
    CHECK(parallel::splits_kernels());
  }
  CHECK_FALSE(parallel::splits_kernels());
}

TEST_CASE("parts cover a loop once, begin at multiples of the unit and pass errors on") {
  const int before = parallel::threads();
  for (const int threads : {1, 2, 4})
    for (const Index count : {1, 47, 48, 49, 500}) {
      parallel::set_threads(threads);
      const parallel::SplitKernels split;
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      std::atomic<int> odd = 0;
      parallel::split_kernel({.count = count, .unit = 48, .cost = parallel::kPartCost},
                             [&](Index begin, Index end) {
                               odd += begin % 48 == 0 ? 0 : 1;
                               for (Index i = begin; i < end; ++i)
                                 ++visits[static_cast<std::size_t>(i)];
                             });
      CHECK(odd == 0);
      CHECK(std::all_of(visits.begin(), visits.end(), [](const auto& v) { return v == 1; }));
      CHECK_THROWS_WITH(parallel::split_kernel({.count = count, .cost = parallel::kPartCost},
                                               [](Index begin, Index) {
                                                 throw std::runtime_error(std::to_string(begin));
                                               }),
                        "0");
    }
  parallel::set_threads(before);
}

TEST_CASE("matrix products that are cut") {
  const auto check = [](const std::string& name, Index m, Index n, Index k, Trans ta, Trans tb,
                        Index parts) {
    const Tensor a = noise({m, k}, 1), b = noise({k, n}, 2), start = noise({m, n}, 3);
    check_parts(
        name, {m, n},
        [&](Tensor& c) {
          std::copy(start.span().begin(), start.span().end(), c.data());
          kernels::gemm({.trans_a = ta,
                         .trans_b = tb,
                         .m = m,
                         .n = n,
                         .k = k,
                         .alpha = 0.5F,
                         .a = a.data(),
                         .lda = ta == Trans::kYes ? m : k,
                         .b = b.data(),
                         .ldb = tb == Trans::kYes ? k : n,
                         .beta = 1,
                         .c = c.data(),
                         .ldc = n});
        },
        parts);
  };
  for (const Trans ta : {Trans::kNo, Trans::kYes})
    for (const Trans tb : {Trans::kNo, Trans::kYes}) {
      check("the words of a beam", 3, 4003, 256, ta, tb, 2);
      check("regions", 196, 500, 300, ta, tb, 4);
      check("more rows than columns", 700, 96, 300, ta, tb, 4);
    }
}

TEST_CASE("convolutions that are cut") {
  ConvShape first = square(64, 3, 32, 7);
  first.stride = 2;
  check_conv("rows, with stride", first, 2);
  ConvShape uneven = square(100, 16, 24, 3);
  uneven.padding = Padding(0, 1);
  uneven.stride = 2;
  check_conv("rows, padded on one side", uneven, 2);
  ConvShape dilated = square(40, 24, 24, 3);
  dilated.dilation = 2, dilated.padding = 2;
  check_conv("rows, dilated", dilated, 2, true);
  check_conv("rows of single pixels", square(56, 24, 96, 1), 2);
  ConvShape apart = square(56, 144, 144, 3);
  apart.groups = 144;
  check_conv("channels by themselves", apart, 2);
  ConvShape groups = square(28, 64, 128, 3);
  groups.groups = 4;
  check_conv("groups", groups, 2, true);
  check_conv("output channels", square(7, 160, 960, 1), 2);
  check_conv("output channels, with a sum", square(14, 64, 200, 3), 4, true);
  check_conv("output channels, not in equal parts", square(12, 48, 144, 5), 3);
  check_conv("Winograd's filtering", square(56, 64, 64, 3), 8, true);
  check_conv("Winograd's filtering of few tiles", square(20, 128, 160, 3), 8);
  ConvShape images = square(40, 16, 40, 3);
  images.batch = 3;
  images.stride = 2;
  check_conv("images", images, 2);
}

TEST_CASE("other kernels of a picture's forward pass that are cut") {
  const Index big = 1 << 18;
  const Tensor x = noise({big}, 1), y = noise({big}, 2);
  const auto plain = [&](const std::string& name, auto kernel) {
    check_parts(
        name, {big}, [&](Tensor& out) { kernel(out.view()); }, 4);
  };
  plain("add", [&](View out) { kernels::add(x.view(), y.view(), out); });
  plain("multiply", [&](View out) { kernels::multiply(x.view(), y.view(), out); });
  plain("relu", [&](View out) { kernels::relu(x.view(), out); });
  plain("leaky_relu", [&](View out) { kernels::leaky_relu(x.view(), 0.1F, out); });
  plain("sigmoid", [&](View out) { kernels::sigmoid(x.view(), out); });
  plain("gelu", [&](View out) { kernels::gelu(x.view(), out); });

  const Tensor gamma = noise({384}, 3), beta = noise({384}, 4);
  const Tensor tokens = noise({500, 384}, 5);
  check_parts(
      "layer_norm", {500, 384},
      [&](Tensor& out) {
        Tensor mean({500}), rstd({500});
        kernels::layer_norm(1e-5, tokens.view(), gamma.view(), beta.view(), out.view(), mean.view(),
                            rstd.view());
      },
      2);
  const Tensor weights = noise({3, 3, 64, 384}, 6);
  check_parts(
      "scale_weights", weights.shape(),
      [&](Tensor& out) { kernels::scale_weights(weights.view(), gamma.view(), out.view()); }, 2);
  const PoolShape pool{
      .height = 112, .width = 112, .channels = 64, .kernel = 3, .stride = 2, .padding = 1};
  const Tensor image = noise(pool.input(), 8);
  check_parts(
      "max_pool", pool.output(),
      [&](Tensor& out) {
        std::vector<int> where(static_cast<std::size_t>(out.size()));
        kernels::max_pool(pool, image.view(), out.view(), where);
      },
      4);
  check_parts(
      "avg_pool", pool.output(),
      [&](Tensor& out) { kernels::avg_pool(pool, image.view(), out.view()); }, 4);
}

TEST_CASE("attention that is cut") {
  const Tensor q = noise({1, 196, 384}, 1), k = noise({1, 196, 384}, 2),
               v = noise({1, 196, 384}, 3);
  check_parts(
      "sdpa", {1, 196, 384},
      [&](Tensor& out) {
        Tensor lse({1, 6, 196});
        kernels::sdpa({.q = q.view(), .k = k.view(), .v = v.view(), .heads = 6, .mask = {}},
                      out.view(), lse.view());
      },
      2);
  const Tensor keys = noise({2, 196, 512}, 4), queries = noise({6, 512}, 5),
               weight = noise({512}, 6);
  check_parts(
      "additive_score", {6, 196},
      [&](Tensor& out) {
        kernels::additive_score(keys.view(), queries.view(), weight.view(), 3, out.view());
      },
      4);
}

}  // namespace saccade
