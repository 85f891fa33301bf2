#include "core/kernels/conv.h"

#include <algorithm>

#include "core/kernels/gemm.h"
#include "core/kernels/internal/conv_gain.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

namespace {

// Calls body(row, column, pixel) for every run of channels of one group's patches that lies inside
// an image: the row of patches [OH * OW], its first column, and where the run starts in the image.
template <class Body>
void for_patch_runs(const ConvShape& s, Index group, Body body) {
  const Index out_width = s.out_width();
  for (Index i = 0; i < s.out_height(); ++i)
    for (Index j = 0; j < out_width; ++j)
      for (Index u = 0; u < s.kernel_height; ++u) {
        const Index row = i * s.stride + u * s.dilation - s.padding.before;
        if (row < 0 || row >= s.height) continue;
        for (Index v = 0; v < s.kernel_width; ++v) {
          const Index column = j * s.stride + v * s.dilation - s.padding.before;
          if (column < 0 || column >= s.width) continue;
          body(i * out_width + j, (u * s.kernel_width + v) * s.group_in(),
               (row * s.width + column) * s.in_channels + group * s.group_in());
        }
      }
}

Tensor patches_of(const ConvShape& s, Index group, const Real* image) {
  Tensor patches({s.out_height() * s.out_width(), s.patch()});
  for_patch_runs(s, group, [&](Index row, Index column, Index pixel) {
    std::copy_n(image + pixel, s.group_in(), patches.data() + row * s.patch() + column);
  });
  return patches;
}

// Calls body with the first number of image b in the input, in the output and of group g's
// channels, and g.
template <class Body>
void for_groups(const ConvShape& s, Body body) {
  const Index positions = s.out_height() * s.out_width();
  for (Index b = 0; b < s.batch; ++b)
    for (Index g = 0; g < s.groups; ++g)
      body(b * s.height * s.width * s.in_channels,
           b * positions * s.out_channels + g * s.group_out(), g);
}

}  // namespace

void conv2d(const ConvShape& s, ConstView x, ConstView w, const ConvEpilogue& epilogue, View y) {
  if (epilogue.gain.data)
    return reference::conv2d(s, x, scaled_weights(w, epilogue.gain).view(), without_gain(epilogue),
                             y);
  for (Index i = 0; i < y.size(); ++i)
    y[i] = (epilogue.skip.data ? epilogue.skip[i] : Real{0}) +
           (epilogue.bias.data ? epilogue.bias[i % s.out_channels] : Real{0});
  for_groups(s, [&](Index in, Index out, Index g) {
    const Tensor patches = patches_of(s, g, x.data + in);
    gemm({.m = s.out_height() * s.out_width(),
          .n = s.group_out(),
          .k = s.patch(),
          .a = patches.data(),
          .lda = s.patch(),
          .b = w.data + g * s.group_out(),
          .ldb = s.out_channels,
          .beta = 1,
          .c = y.data + out,
          .ldc = s.out_channels});
  });
  activate(epilogue.activation, y);
}

void residual_blocks(std::span<const ResidualBlock> blocks, ConstView x, View y) {
  const auto convolved = [](const ConvLink& link, ConstView from, ConstView skip) {
    ConvEpilogue epilogue = link.epilogue;
    epilogue.skip = skip;
    Tensor result(link.shape.output());
    reference::conv2d(link.shape, from, link.w, epilogue, result.view());
    return result;
  };
  Tensor sum(x.shape, x.span());
  for (const auto& [links, shortcut] : blocks) {
    const Tensor skip = shortcut ? convolved(*shortcut, sum.view(), {}) : sum.clone();
    for (const ConvLink& link : links)
      sum = convolved(link, sum.view(), &link == &links.back() ? skip.view() : ConstView{});
  }
  std::ranges::copy(sum.span(), y.data);
}

namespace {

void gradient_of_data(const ConvShape& s, ConstView w, ConstView dy, View dx) {
  const Index positions = s.out_height() * s.out_width();
  std::fill_n(dx.data, dx.size(), Real{0});
  Tensor patches({positions, s.patch()});
  for_groups(s, [&](Index in, Index out, Index g) {
    gemm({.trans_b = Trans::kYes,
          .m = positions,
          .n = s.patch(),
          .k = s.group_out(),
          .a = dy.data + out,
          .lda = s.out_channels,
          .b = w.data + g * s.group_out(),
          .ldb = s.out_channels,
          .c = patches.data(),
          .ldc = s.patch()});
    Real* image = dx.data + in;
    for_patch_runs(s, g, [&](Index row, Index column, Index pixel) {
      const Real* from = patches.data() + row * s.patch() + column;
      for (Index c = 0; c < s.group_in(); ++c) image[pixel + c] += from[c];
    });
  });
}

void gradient_of_weights(const ConvShape& s, ConstView x, ConstView dy, View dw, View dbias) {
  for_groups(s, [&](Index in, Index out, Index g) {
    const Tensor patches = patches_of(s, g, x.data + in);
    gemm({.trans_a = Trans::kYes,
          .m = s.patch(),
          .n = s.group_out(),
          .k = s.out_height() * s.out_width(),
          .a = patches.data(),
          .lda = s.patch(),
          .b = dy.data + out,
          .ldb = s.out_channels,
          .beta = 1,
          .c = dw.data + g * s.group_out(),
          .ldc = s.out_channels});
  });
  if (!dbias.data) return;
  for (Index i = 0; i < dy.size(); ++i) dbias[i % s.out_channels] += dy[i];
}

}  // namespace

void conv2d_backward(const ConvShape& s, ConstView x, ConstView w, ConstView dy,
                     const ConvGradients& gradients, ConstView gain) {
  with_scaled_weights(w, gain, gradients, [&](ConstView weights, const ConvGradients& wanted) {
    const auto& [dx, dw, dgain, dbias, write] = wanted;
    if (dx.data) gradient_of_data(s, weights, dy, dx);
    if (!dw.data) return;
    if (write == Write::kAssign) std::fill_n(dw.data, dw.size(), Real{0});
    gradient_of_weights(s, x, dy, dw, dbias);
  });
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
