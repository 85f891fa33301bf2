// Residual blocks against their convolutions.
#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "core/kernels/conv.h"
#include "core/parallel/kernel_parts.h"
#include "tests/core/conv_shapes.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_results.h"
#include "tests/support/tensor_difference.h"
#include "tests/support/with_precision.h"

namespace saccade {

using test::conv_shape;
using test::difference;
using test::noise;
using test::noisy_weights;

TEST_CASE("residual blocks give what their convolutions give one after the other") {
  struct Shapes {
    std::vector<ConvShape> links;
    std::optional<ConvShape> shortcut = {};
  };
  const auto bottleneck = [](Index batch, Index extent, Index in, Index width, Index stride) {
    const Index inner = (extent + stride - 1) / stride;
    Shapes block{{conv_shape(batch, extent, extent, in, width, 1, 1, 1, 0),
                  conv_shape(batch, extent, extent, width, width, 3, 3, stride, 1),
                  conv_shape(batch, inner, inner, width, 64, 1, 1, 1, 0)}};
    if (in != 64) block.shortcut = conv_shape(batch, extent, extent, in, 64, 1, 1, stride, 0);
    return block;
  };
  const ConvShape narrow = conv_shape(4, 9, 9, 32, 32, 1, 1, 1, 0);
  const ConvShape wide = conv_shape(3, 64, 64, 64, 64, 3, 3, 1, 1);
  const ConvShape sees_padding = conv_shape(2, 8, 8, 16, 16, 1, 3, 1, Padding(0, 2), 1, 3);
  // As a whole and in parts, of odd channels, of Winograd's kind, after which some see only
  // padding, with a shortcut in the second one, too, and with long sums.
  const std::vector<Shapes> stacks[] = {
      {bottleneck(3, 7, 64, 32, 1), bottleneck(3, 7, 64, 32, 1)},
      {bottleneck(5, 56, 32, 96, 2), bottleneck(5, 28, 64, 32, 1)},
      {{{conv_shape(3, 9, 11, 5, 7, 3, 3, 2, 1), conv_shape(3, 5, 6, 7, 9, 1, 1, 1, 0)},
        conv_shape(3, 9, 11, 5, 9, 1, 1, 2, 0)}},
      {bottleneck(1, 4, 1024, 512, 1)},
      {{{wide, wide}}},
      {{{sees_padding, conv_shape(2, 10, 4, 16, 16, 1, 1, 1, 0)}, sees_padding}},
      {{{narrow, narrow}, narrow}, {{narrow, conv_shape(4, 9, 9, 32, 32, 3, 3, 1, 1)}, narrow}},
  };
  for (const Precision precision : {Precision::kF32, Precision::kBf16}) {
    if (precision == Precision::kBf16 && !test::has_bf16()) continue;
    const test::WithPrecision with(precision);
    for (const std::vector<Shapes>& stack : stacks) {
      CAPTURE(stack[0].links[0].input());
      std::deque<Tensor> numbers;
      const auto link_of = [&](const ConvShape& s) -> kernels::ConvLink {
        const Tensor& w = numbers.emplace_back(noisy_weights(s, numbers.size()));
        const Tensor& bias = numbers.emplace_back(noise({s.out_channels}, numbers.size()));
        const Tensor& gain = numbers.emplace_back(noise({s.out_channels}, numbers.size()));
        return {s,
                w.view(),
                {.bias = bias.view(),
                 .skip = {},
                 .activation = Activation::kRelu,
                 .gain = gain.view()}};
      };
      std::vector<kernels::ResidualBlock> blocks;
      for (const Shapes& shapes : stack) {
        kernels::ResidualBlock& block = blocks.emplace_back();
        for (const ConvShape& s : shapes.links) block.links.push_back(link_of(s));
        if (shapes.shortcut) block.shortcut = link_of(*shapes.shortcut);
      }
      const Tensor x = noise(stack[0].links[0].input(), 1);
      Tensor y(stack.back().links.back().output());
      kernels::residual_blocks(blocks, x.view(), y.view());

      const auto convolved = [](kernels::ConvLink link, const Tensor& from, ConstView skip) {
        Tensor result(link.shape.output());
        link.epilogue.skip = skip;
        kernels::conv2d(link.shape, from.view(), link.w, link.epilogue, result.view());
        return result;
      };
      Tensor sum = x.clone();
      for (const kernels::ResidualBlock& block : blocks) {
        const Tensor skip = block.shortcut ? convolved(*block.shortcut, sum, {}) : sum.clone();
        for (const kernels::ConvLink& link : block.links)
          sum = convolved(link, sum, &link == &block.links.back() ? skip.view() : ConstView{});
      }
      CHECK(difference(sum, y) <= 1e-6);
      if (x.shape() == y.shape()) {
        Tensor in_place = x.clone();
        kernels::residual_blocks(blocks, in_place.view(), in_place.view());
        CHECK(std::ranges::equal(in_place.span(), y.span()));
      }
    }
  }
}

}  // namespace saccade
