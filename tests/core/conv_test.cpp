// The optimized convolutions against their reference versions, and both against the defining sum.
#include "core/kernels/conv.h"

#include <optional>

#include "core/kernels/constant_weights.h"
#include "core/kernels/optimized/conv_primitive.h"
#include "core/kernels/optimized/winograd.h"
#include "core/ops/conv_ops.h"
#include "core/ops/pointwise.h"
#include "core/parallel/kernel_parts.h"
#include "core/parallel/parallel.h"
#include "tests/core/conv_shapes.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_results.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/test_tape.h"
#include "tests/support/with_precision.h"

namespace saccade {

using test::conv_shape;
using test::difference;
using test::noise;
using test::noisy_weights;
using test::rounded;

namespace {

const std::vector<ConvShape> kShapes = {
    conv_shape(2, 64, 64, 3, 32, 3, 3, 2, 1),
    conv_shape(3, 16, 16, 64, 96, 3, 3, 2, 1),
    conv_shape(1, 8, 8, 96, 128, 3, 3, 1, 1),
    conv_shape(2, 7, 11, 5, 9, 3, 3, 2, 0),
    conv_shape(1, 9, 6, 17, 13, 3, 2, 3, 1),
    conv_shape(4, 5, 5, 32, 16, 1, 1, 1, 0),
    conv_shape(1, 6, 6, 8, 7, 1, 1, 2, 0),
    conv_shape(2, 13, 10, 3, 16, 7, 7, 2, 3),
    conv_shape(2, 16, 10, 6, 8, 3, 3, 2, Padding(0, 1)),
    conv_shape(1, 4, 4, 2, 3, 4, 4, 4, 0),
    conv_shape(2, 28, 28, 3, 32, 14, 14, 14, 0),
    conv_shape(1, 23, 21, 3, 64, 11, 11, 4, 2),
    conv_shape(2, 14, 9, 32, 32, 3, 3, 1, 1, 32),
    conv_shape(1, 15, 12, 24, 24, 3, 3, 2, 1, 24),
    conv_shape(2, 6, 7, 12, 18, 3, 2, 1, 1, 3),
    conv_shape(1, 5, 5, 6, 12, 3, 3, 1, 0, 6),
    conv_shape(2, 9, 12, 5, 7, 3, 2, 2, Padding(2, 1), 1, 3),
    conv_shape(1, 14, 14, 48, 48, 3, 3, 1, 2, 48, 2),
    // A dilated convolution, which would otherwise be a case for Winograd's.
    conv_shape(1, 22, 21, 32, 48, 3, 3, 1, 1, 1, 2),
    // Results that see nothing but padding, on which oneDNN (2.6) crashed or was wrong.
    conv_shape(3, 29, 7, 17, 51, 1, 5, 2, Padding(2, 0)),
    conv_shape(1, 37, 33, 43, 4, 1, 3, 2, Padding(0, 2), 1, 3),
    conv_shape(2, 32, 17, 2, 8, 1, 3, 2, Padding(0, 1), 1, 2),
    conv_shape(2, 2, 5, 32, 63, 2, 3, 2, 1, 1, 3),
    // Where oneDNN (2.6) wrote beyond its memory: gradients of strided 1 x 1 weights of few
    // channels.
    conv_shape(4, 56, 56, 4, 8, 1, 1, 2, 0),
    conv_shape(1, 100, 100, 4, 3, 1, 1, 2, 0),
    conv_shape(2, 93, 60, 15, 17, 1, 1, 3, 0),
    // Of rounded operands, oneDNN took numbers beyond the arrays here.
    conv_shape(1, 15, 29, 31, 37, 5, 2, 1, Padding(2, 1), 1, 2),
    conv_shape(3, 34, 3, 33, 21, 3, 3, 1, Padding(1, 2)),
    conv_shape(3, 37, 1, 128, 48, 1, 2, 3, Padding(0, 1)),
    conv_shape(2, 15, 1, 32, 16, 2, 2, 2, 1),
    // Enough pixels and channels for Winograd. The last two run in parts, the last one with a small
    // rest.
    conv_shape(1, 20, 19, 32, 48, 3, 3, 1, 1),
    conv_shape(2, 50, 65, 32, 32, 3, 3, 1, 1),
    conv_shape(17, 14, 14, 64, 32, 3, 3, 1, 1),
};

void check_against_reference(const std::vector<ConvShape>& shapes) {
  std::uint64_t draw = 0;
  for (const ConvShape& s : shapes) {
    CAPTURE(s.input(), s.weights(), s.output(), s.stride, s.padding.before, s.padding.after,
            s.groups);
    const Precision precision = kernels::optimized::conv_precision(s);
    const Tensor x = rounded(noise(s.input(), ++draw), precision),
                 w = rounded(noisy_weights(s, ++draw), precision);
    const Tensor dy = rounded(noise(s.output(), ++draw), precision);
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
      kernels::optimized::conv2d_backward(s, x.view(), w.view(), dy.view(),
                                          {.dx = optimized.view()});
      kernels::reference::conv2d_backward(s, x.view(), w.view(), dy.view(),
                                          {.dx = reference.view()});
      CHECK(difference(reference, optimized) <= 1e-5);
    }
    Tensor dx_before = noise(s.input(), ++draw), dw_before = noise(s.weights(), ++draw);
    Tensor dbias_before = noise({s.out_channels}, ++draw);
    for (const kernels::Write write : {kernels::Write::kAssign, kernels::Write::kAccumulate})
      for (const bool with_dx : {false, true})
        for (const bool with_dbias : {false, true}) {
          CAPTURE(write, with_dx, with_dbias);
          const auto results = [&](auto backward) {
            std::array<Tensor, 3> made{dx_before.clone(), dw_before.clone(), dbias_before.clone()};
            kernels::ConvGradients gradients{.dw = made[1].view(), .write = write};
            if (with_dx) gradients.dx = made[0].view();
            if (with_dbias) gradients.dbias = made[2].view();
            backward(s, x.view(), w.view(), dy.view(), gradients, ConstView{});
            return made;
          };
          const auto optimized = results(kernels::optimized::conv2d_backward);
          const auto reference = results(kernels::reference::conv2d_backward);
          for (std::size_t i = 0; i < 3; ++i) CHECK(difference(reference[i], optimized[i]) <= 1e-5);
        }
  }
}

}  // namespace

TEST_CASE("oneDNN's convolutions agree with the reference versions") {
  check_against_reference(kShapes);
}

// The operands of these checks are bfloat16 numbers already, which rounding must leave as they are.
TEST_CASE("convolutions of rounded operands agree with the reference versions") {
  if (!test::has_bf16()) return;
  const test::WithPrecision bf16(Precision::kBf16);
  check_against_reference(kShapes);
  // Other operands are rounded: the result differs from that of all digits, and from it alone.
  const ConvShape& s = kShapes[1];
  const Tensor x = noise(s.input(), 1), w = noisy_weights(s, 2);
  Tensor got(s.output()), reference(s.output()), whole(s.output());
  kernels::conv2d(s, x.view(), w.view(), {}, got.view());
  const Tensor rounded_x = rounded(x.clone(), Precision::kBf16),
               rounded_w = rounded(w.clone(), Precision::kBf16);
  kernels::reference::conv2d(s, rounded_x.view(), rounded_w.view(), {}, reference.view());
  kernels::reference::conv2d(s, x.view(), w.view(), {}, whole.view());
  CHECK(difference(reference, got) <= 1e-5);
  CHECK(difference(whole, got) > 1e-4);
}

// This includes cases where oneDNN's takes its place, or where there are too few tiles for it.
TEST_CASE("Winograd's convolution agrees with the reference version on images of any extents") {
  std::uint64_t draw = 100;
  const auto square = [](Index batch, Index height, Index width, Index in, Index out) {
    return conv_shape(batch, height, width, in, out, 3, 3, 1, 1);
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
    kernels::reference::conv2d_backward(s, x.view(), w.view(), dy.view(), {.dx = reference.view()});
    CHECK(difference(reference, optimized) <= 1e-5);
    Tensor optimized_w = noise(s.weights(), ++draw), reference_w = optimized_w.clone();
    Tensor optimized_bias = noise({s.out_channels}, ++draw),
           reference_bias = optimized_bias.clone();
    kernels::optimized::winograd::conv2d_backward_weights(
        s, x.view(), dy.view(), optimized_w.view(), optimized_bias.view());
    kernels::reference::conv2d_backward(s, x.view(), w.view(), dy.view(),
                                        {.dw = reference_w.view(), .dbias = reference_bias.view()});
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
  test::TestTape tape;
  const auto constant = [&](const Tensor& t) { return tape.constant(t.view()); };
  const ops::ChannelNorm norm{.mean = mean.view(),
                              .variance = variance.view(),
                              .gamma = constant(gamma),
                              .beta = constant(beta)};
  const Var folded = ops::conv_norm(
      constant(x), {constant(w), norm, {.padding = 1, .activation = Activation::kRelu6}},
      constant(skip));
  const Var behind =
      ops::batch_norm(ops::conv2d(constant(x), constant(w), {}, {.padding = 1}), norm);
  const Var expected = ops::clip(ops::add(behind, constant(skip)), {0, 6});
  CHECK(difference(Tensor(expected.shape(), expected.value().span()),
                   Tensor(folded.shape(), folded.value().span())) <= 1e-5);
}

TEST_CASE("the gradient of the weights over no images is zero") {
  ConvShape s = kShapes[0];
  s.batch = 0;
  const Tensor x(s.input()), w = noise(s.weights(), 1), dy(s.output());
  Tensor dw = noise(s.weights(), 2), kept = dw.clone();
  kernels::conv2d_backward(s, x.view(), w.view(), dy.view(), {.dw = kept.view()});
  CHECK(std::ranges::equal(kept.span(), dw.span()));
  kernels::conv2d_backward(s, x.view(), w.view(), dy.view(),
                           {.dw = dw.view(), .write = kernels::Write::kAssign});
  CHECK(std::ranges::all_of(dw.span(), [](Real number) { return number == 0; }));
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
        kernels::conv2d_backward(s, x.view(), w.view(), dy.view(), {.dw = dw.view()});
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

TEST_CASE("a convolution multiplies weights by a gain as if they had been multiplied before") {
  for (const Precision precision : {Precision::kF32, Precision::kBf16}) {
    if (precision == Precision::kBf16 && !test::has_bf16()) continue;
    const test::WithPrecision with(precision);
    for (const ConvShape& s : kShapes) {
      for (const bool cut : {false, true}) {
        CAPTURE(s.input(), s.weights(), s.output(), cut);
        std::optional<parallel::SplitKernels> split;
        if (cut) split.emplace();
        const Tensor x = noise(s.input(), 1), w = noise(s.weights(), 3);
        const Tensor gain = noise({s.out_channels}, 4), bias = noise({s.out_channels}, 5);
        Tensor scaled(s.weights()), expected(s.output()), y(s.output());
        kernels::scale_weights(w.view(), gain.view(), scaled.view());
        kernels::conv2d(s, x.view(), scaled.view(), {.bias = bias.view(), .skip = {}},
                        expected.view());
        const kernels::ConvEpilogue epilogue{.bias = bias.view(), .skip = {}, .gain = gain.view()};
        kernels::conv2d(s, x.view(), w.view(), epilogue, y.view());
        CHECK(std::ranges::equal(y.span(), expected.span()));
        Tensor expected_dx(s.input()), dx(s.input());
        kernels::conv2d_backward(s, x.view(), scaled.view(), y.view(), {.dx = expected_dx.view()});
        kernels::conv2d_backward(s, x.view(), w.view(), y.view(), {.dx = dx.view()}, gain.view());
        CHECK(std::ranges::equal(dx.span(), expected_dx.span()));
        // The chain rule: d w = gain d scaled, d gain = the sum over the channel of w d scaled.
        Tensor dscaled(s.weights());
        kernels::conv2d_backward(s, x.view(), scaled.view(), y.view(), {.dw = dscaled.view()});
        for (const kernels::Write write : {kernels::Write::kAssign, kernels::Write::kAccumulate}) {
          Tensor dw = noise(s.weights(), 6), dgain = noise(gain.shape(), 7);
          Tensor expected_dw = write == kernels::Write::kAssign ? Tensor(dw.shape()) : dw.clone();
          Tensor expected_dgain = dgain.clone();
          for (Index i = 0; i < dscaled.size(); ++i) {
            const Index o = i % s.out_channels;
            expected_dw.data()[i] += dscaled.data()[i] * gain.data()[o];
            expected_dgain.data()[o] += dscaled.data()[i] * w.data()[i];
          }
          kernels::conv2d_backward(s, x.view(), w.view(), y.view(),
                                   {.dw = dw.view(), .dgain = dgain.view(), .write = write},
                                   gain.view());
          CHECK(difference(expected_dw, dw) <= 1e-6);
          CHECK(difference(expected_dgain, dgain) <= 1e-5);
        }
        const ConstantWeights held(w.span());
        for (int again = 0; again < 2; ++again) {
          std::ranges::fill(y.span(), Real{0});
          kernels::conv2d(s, x.view(), w.view(), epilogue, y.view());
          CHECK(std::ranges::equal(y.span(), expected.span()));
          std::ranges::fill(dx.span(), Real{0});
          kernels::conv2d_backward(s, x.view(), w.view(), y.view(), {.dx = dx.view()}, gain.view());
          CHECK(std::ranges::equal(dx.span(), expected_dx.span()));
        }
        kernels::conv2d(s, x.view(), w.view(), {}, y.view());  // not the products
        kernels::conv2d(s, x.view(), noise(s.weights(), 3).view(), {}, expected.view());
        CHECK(std::ranges::equal(y.span(), expected.span()));
      }
    }
  }
}

TEST_CASE("weights that do not change are packed once, with the same results") {
  for (const Precision precision : {Precision::kF32, Precision::kBf16}) {
    if (precision == Precision::kBf16 && !test::has_bf16()) continue;
    const test::WithPrecision with(precision);
    bool packed = false;
    for (const ConvShape& s : kShapes) {
      CAPTURE(s.input(), s.weights(), s.output());
      const Tensor x = noise(s.input(), 1), dy = noise(s.output(), 2);
      Tensor w = noise(s.weights(), 3);
      const auto results = [&] {
        Tensor y(s.output()), dx(s.input());
        parallel::for_each(4, [&](Index i) {
          Tensor y_of_task(s.output()), dx_of_task(s.input());
          kernels::conv2d(s, x.view(), w.view(), {}, y_of_task.view());
          kernels::conv2d_backward(s, x.view(), w.view(), dy.view(), {.dx = dx_of_task.view()});
          if (i == 3) std::swap(y, y_of_task), std::swap(dx, dx_of_task);
        });
        std::vector<Real> all(y.span().begin(), y.span().end());
        all.insert(all.end(), dx.span().begin(), dx.span().end());
        return all;
      };
      parallel::set_threads(4);
      const std::vector<Real> alone = results();
      {
        const ConstantWeights held(std::as_const(w).span());
        const bool same = results() == alone;
        CHECK(same);
        for (Real& number : w.span()) number += 1;  // against the promise
        packed = packed || results() == alone;
      }
      const bool changed = results() != alone;
      CHECK((changed || kernels::optimized::sees_only_padding(s)));
    }
    // Where the processor's convolutions read weights in another layout, copies are what is read.
    if (kernels::optimized::library_has_winograd()) CHECK(packed);
  }
}

}  // namespace saccade
