// The optimized convolutions against their reference versions, and both against the defining sum.
#include "core/kernels/conv.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels/optimized/winograd.h"
#include "core/ops/conv_ops.h"
#include "core/ops/pointwise.h"
#include "core/parallel/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/tensor_difference.h"

namespace saccade {

using test::difference;
using test::noise;

namespace {

const std::vector<ConvShape> kShapes = {
    {.batch = 2,
     .height = 64,
     .width = 64,
     .in_channels = 3,
     .out_channels = 32,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 2,
     .padding = 1},
    {.batch = 3,
     .height = 16,
     .width = 16,
     .in_channels = 64,
     .out_channels = 96,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 2,
     .padding = 1},
    {.batch = 1,
     .height = 8,
     .width = 8,
     .in_channels = 96,
     .out_channels = 128,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 1},
    {.batch = 2,
     .height = 7,
     .width = 11,
     .in_channels = 5,
     .out_channels = 9,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 2,
     .padding = 0},
    {.batch = 1,
     .height = 9,
     .width = 6,
     .in_channels = 17,
     .out_channels = 13,
     .kernel_height = 3,
     .kernel_width = 2,
     .stride = 3,
     .padding = 1},
    {.batch = 4,
     .height = 5,
     .width = 5,
     .in_channels = 32,
     .out_channels = 16,
     .kernel_height = 1,
     .kernel_width = 1,
     .stride = 1,
     .padding = 0},
    {.batch = 1,
     .height = 6,
     .width = 6,
     .in_channels = 8,
     .out_channels = 7,
     .kernel_height = 1,
     .kernel_width = 1,
     .stride = 2,
     .padding = 0},
    {.batch = 2,
     .height = 13,
     .width = 10,
     .in_channels = 3,
     .out_channels = 16,
     .kernel_height = 7,
     .kernel_width = 7,
     .stride = 2,
     .padding = 3},
    {.batch = 2,
     .height = 16,
     .width = 10,
     .in_channels = 6,
     .out_channels = 8,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 2,
     .padding = {0, 1}},
    {.batch = 1,
     .height = 4,
     .width = 4,
     .in_channels = 2,
     .out_channels = 3,
     .kernel_height = 4,
     .kernel_width = 4,
     .stride = 4,
     .padding = 0},
    {.batch = 2,
     .height = 14,
     .width = 9,
     .in_channels = 32,
     .out_channels = 32,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 1,
     .groups = 32},
    {.batch = 1,
     .height = 15,
     .width = 12,
     .in_channels = 24,
     .out_channels = 24,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 2,
     .padding = 1,
     .groups = 24},
    {.batch = 2,
     .height = 6,
     .width = 7,
     .in_channels = 12,
     .out_channels = 18,
     .kernel_height = 3,
     .kernel_width = 2,
     .stride = 1,
     .padding = 1,
     .groups = 3},
    {.batch = 1,
     .height = 5,
     .width = 5,
     .in_channels = 6,
     .out_channels = 12,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 0,
     .groups = 6},
    {.batch = 2,
     .height = 9,
     .width = 12,
     .in_channels = 5,
     .out_channels = 7,
     .kernel_height = 3,
     .kernel_width = 2,
     .stride = 2,
     .padding = {2, 1},
     .dilation = 3},
    {.batch = 1,
     .height = 14,
     .width = 14,
     .in_channels = 48,
     .out_channels = 48,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 2,
     .groups = 48,
     .dilation = 2},
    // A dilated convolution, which would otherwise be a case for Winograd's.
    {.batch = 1,
     .height = 22,
     .width = 21,
     .in_channels = 32,
     .out_channels = 48,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 1,
     .dilation = 2},
    // Enough pixels and channels for Winograd. The last two run in parts, the last one with a small
    // rest.
    {.batch = 1,
     .height = 20,
     .width = 19,
     .in_channels = 32,
     .out_channels = 48,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 1},
    {.batch = 2,
     .height = 50,
     .width = 65,
     .in_channels = 32,
     .out_channels = 32,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 1},
    {.batch = 17,
     .height = 14,
     .width = 14,
     .in_channels = 64,
     .out_channels = 32,
     .kernel_height = 3,
     .kernel_width = 3,
     .stride = 1,
     .padding = 1},
};

// Weights as large as a network's: they turn noise into noise of deviation 1.
Tensor noisy_weights(const ConvShape& s, std::uint64_t sample) {
  Tensor w = noise(s.weights(), sample);
  for (Real& x : w.span()) x /= std::sqrt(static_cast<Real>(s.patch()));
  return w;
}

}  // namespace

TEST_CASE("oneDNN's convolutions agree with the reference versions") {
  std::uint64_t draw = 0;
  for (const ConvShape& s : kShapes) {
    CAPTURE(s.input(), s.weights(), s.output(), s.stride, s.padding.before, s.padding.after,
            s.groups);
    const Tensor x = noise(s.input(), ++draw), w = noisy_weights(s, ++draw);
    const Tensor dy = noise(s.output(), ++draw);
    const Tensor bias = noise({s.out_channels}, ++draw);
    const Tensor skip = noise(s.output(), ++draw);
    const kernels::ConvEpilogue epilogues[] = {
        {},
        {.bias = bias.view(), .skip = {}},
        {.bias = bias.view(), .skip = {}, .activation = Activation::kRelu},
        {.bias = bias.view(), .skip = skip.view(), .activation = Activation::kRelu6},
        {.bias = {}, .skip = skip.view()},
        {.bias = {}, .skip = skip.view(), .activation = Activation::kRelu}};
    for (const kernels::ConvEpilogue& epilogue : epilogues) {
      Tensor optimized = noise(s.output(), ++draw), reference = noise(s.output(), ++draw);
      kernels::optimized::conv2d(s, x.view(), w.view(), epilogue, optimized.view());
      kernels::reference::conv2d(s, x.view(), w.view(), epilogue, reference.view());
      CHECK(difference(reference, optimized) <= 1e-5);
    }
    {
      Tensor optimized = noise(s.input(), ++draw), reference = noise(s.input(), ++draw);
      kernels::optimized::conv2d_backward_data(s, w.view(), dy.view(), optimized.view());
      kernels::reference::conv2d_backward_data(s, w.view(), dy.view(), reference.view());
      CHECK(difference(reference, optimized) <= 1e-5);
    }
    // Both add to the content that is there.
    Tensor optimized = noise(s.weights(), ++draw), reference = optimized.clone();
    Tensor optimized_bias = noise({s.out_channels}, ++draw),
           reference_bias = optimized_bias.clone();
    kernels::optimized::conv2d_backward_weights(s, x.view(), dy.view(), optimized.view(),
                                                optimized_bias.view());
    kernels::reference::conv2d_backward_weights(s, x.view(), dy.view(), reference.view(),
                                                reference_bias.view());
    CHECK(difference(reference, optimized) <= 1e-5);
    CHECK(difference(reference_bias, optimized_bias) <= 1e-5);
    kernels::optimized::conv2d_backward_weights(s, x.view(), dy.view(), optimized.view(), {});
    kernels::reference::conv2d_backward_weights(s, x.view(), dy.view(), reference.view(), {});
    CHECK(difference(reference, optimized) <= 1e-5);
  }
}

// This includes cases where oneDNN's takes its place, or where there are too few tiles for it.
TEST_CASE("Winograd's convolution agrees with the reference version on images of any extents") {
  std::uint64_t draw = 100;
  const auto square = [](Index batch, Index height, Index width, Index in, Index out) {
    return ConvShape{.batch = batch,
                     .height = height,
                     .width = width,
                     .in_channels = in,
                     .out_channels = out,
                     .kernel_height = 3,
                     .kernel_width = 3,
                     .padding = 1};
  };
  // The last case runs in several parts, with a rest.
  for (const ConvShape& s : {square(1, 1, 1, 16, 16), square(2, 4, 5, 32, 16),
                             square(3, 7, 11, 16, 48), square(2, 50, 65, 64, 64)}) {
    CAPTURE(s.input(), s.out_channels);
    const Tensor x = noise(s.input(), ++draw), w = noisy_weights(s, ++draw);
    const Tensor dy = noise(s.output(), ++draw), bias = noise({s.out_channels}, ++draw);
    const Tensor skip = noise(s.output(), ++draw);
    const kernels::ConvEpilogue epilogues[] = {
        {}, {.bias = bias.view(), .skip = skip.view(), .activation = Activation::kRelu6}};
    for (const kernels::ConvEpilogue& epilogue : epilogues) {
      Tensor optimized = noise(s.output(), ++draw), reference = noise(s.output(), ++draw);
      kernels::optimized::winograd::conv2d(s, x.view(), w.view(), epilogue, optimized.view());
      kernels::reference::conv2d(s, x.view(), w.view(), epilogue, reference.view());
      CHECK(difference(reference, optimized) <= 1e-5);
    }
    Tensor optimized = noise(s.input(), ++draw), reference = noise(s.input(), ++draw);
    kernels::optimized::winograd::conv2d_backward_data(s, w.view(), dy.view(), optimized.view());
    kernels::reference::conv2d_backward_data(s, w.view(), dy.view(), reference.view());
    CHECK(difference(reference, optimized) <= 1e-5);
    Tensor optimized_w = noise(s.weights(), ++draw), reference_w = optimized_w.clone();
    Tensor optimized_bias = noise({s.out_channels}, ++draw),
           reference_bias = optimized_bias.clone();
    kernels::optimized::winograd::conv2d_backward_weights(
        s, x.view(), dy.view(), optimized_w.view(), optimized_bias.view());
    kernels::reference::conv2d_backward_weights(s, x.view(), dy.view(), reference_w.view(),
                                                reference_bias.view());
    CHECK(difference(reference_w, optimized_w) <= 1e-5);
    CHECK(difference(reference_bias, optimized_bias) <= 1e-5);
  }
}

TEST_CASE("the reference convolution is the defining sum") {
  for (const ConvShape& s : kShapes) {
    CAPTURE(s.input(), s.weights(), s.output(), s.stride, s.padding.before, s.padding.after,
            s.groups);
    const Tensor x = noise(s.input(), 1), w = noise(s.weights(), 2);
    const Tensor bias = noise({s.out_channels}, 3), skip = noise(s.output(), 4);
    Tensor y(s.output()), expected(s.output());
    kernels::reference::conv2d(
        s, x.view(), w.view(),
        {.bias = bias.view(), .skip = skip.view(), .activation = Activation::kRelu6}, y.view());
    Index at = 0;
    for (Index b = 0; b < s.batch; ++b)
      for (Index i = 0; i < s.out_height(); ++i)
        for (Index j = 0; j < s.out_width(); ++j)
          for (Index o = 0; o < s.out_channels; ++o) {
            double sum = bias[o] + skip[at];
            const Index first = o / s.group_out() * s.group_in();
            for (Index u = 0; u < s.kernel_height; ++u)
              for (Index v = 0; v < s.kernel_width; ++v) {
                const Index row = i * s.stride + u * s.dilation - s.padding.before,
                            column = j * s.stride + v * s.dilation - s.padding.before;
                if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
                const Index pixel = (b * s.height + row) * s.width + column;
                for (Index c = 0; c < s.group_in(); ++c)
                  sum += double{x[pixel * s.in_channels + first + c]} *
                         w[((u * s.kernel_width + v) * s.group_in() + c) * s.out_channels + o];
              }
            expected[at++] = static_cast<Real>(std::clamp(sum, 0.0, 6.0));
          }
    CHECK(difference(expected, y) <= 1e-5);
  }
}

TEST_CASE("a normalisation folded into a convolution equals one behind it") {
  const Tensor x = noise({2, 7, 6, 8}, 1), w = noise({3, 3, 8, 16}, 2);
  const Tensor gamma = noise({16}, 3, 1), beta = noise({16}, 4), mean = noise({16}, 5, 4);
  const Tensor skip = noise({2, 7, 6, 16}, 6);
  Tensor variance = noise({16}, 7);
  for (Real& v : variance.span()) v = v * v + Real(0.5);
  Arena arena;
  Tape tape(arena);
  const auto constant = [&](const Tensor& t) { return tape.constant(t.view()); };
  const ops::ChannelNorm norm{.mean = mean.view(),
                              .variance = variance.view(),
                              .gamma = constant(gamma),
                              .beta = constant(beta)};
  const Var folded = ops::conv_norm(constant(x), constant(w), norm, constant(skip),
                                    {.padding = 1, .activation = Activation::kRelu6});
  const Var behind =
      ops::batch_norm(ops::conv2d(constant(x), constant(w), {}, {.padding = 1}), norm);
  const Var expected = ops::clip(ops::add(behind, constant(skip)), {0, 6});
  CHECK(difference(Tensor(expected.shape(), expected.value().span()),
                   Tensor(folded.shape(), folded.value().span())) <= 1e-5);
}

TEST_CASE("convolutions give the same bits on any thread") {
  for (const ConvShape& s : {kShapes[1], kShapes.back()}) {
    const Tensor x = noise(s.input(), 1), w = noise(s.weights(), 2);
    const Tensor dy = noise(s.output(), 3);
    constexpr Index kTasks = 8;
    std::vector<std::vector<Real>> results(kTasks);
    for (const int threads : {1, 2, 4}) {
      parallel::set_threads(threads);
      parallel::for_each(kTasks, [&](Index i) {
        Tensor y(s.output()), dw(s.weights());
        kernels::conv2d(s, x.view(), w.view(), {}, y.view());
        kernels::conv2d_backward_weights(s, x.view(), dy.view(), dw.view(), {});
        auto& result = results[static_cast<std::size_t>(i)];
        result.insert(result.end(), y.span().begin(), y.span().end());
        result.insert(result.end(), dw.span().begin(), dw.span().end());
      });
    }
    const std::size_t one = results[0].size() / 3;
    for (const auto& result : results) {
      CHECK(result == results[0]);
      CHECK(std::equal(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(one),
                       result.begin() + static_cast<std::ptrdiff_t>(one)));
    }
  }
}

}  // namespace saccade
