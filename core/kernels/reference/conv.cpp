#include "core/kernels/conv.h"

#include <algorithm>

#include "core/kernels/gemm.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::reference {

namespace {

// Calls body(row, column, length, x) for every run of channels of a patch that lies inside image b:
// patch row [OH * OW], its first column, and where the run starts in the image.
template <class Body>
void for_patch_runs(const ConvShape& s, Body body) {
  const Index out_width = s.out_width();
  for (Index i = 0; i < s.out_height(); ++i)
    for (Index j = 0; j < out_width; ++j)
      for (Index u = 0; u < s.kernel_height; ++u) {
        const Index row = i * s.stride + u - s.padding.before;
        if (row < 0 || row >= s.height) continue;
        for (Index v = 0; v < s.kernel_width; ++v) {
          const Index column = j * s.stride + v - s.padding.before;
          if (column < 0 || column >= s.width) continue;
          body(i * out_width + j, (u * s.kernel_width + v) * s.in_channels,
               (row * s.width + column) * s.in_channels);
        }
      }
}

Tensor patches_of(const ConvShape& s, const Real* image) {
  Tensor patches({s.out_height() * s.out_width(), s.patch()});
  for_patch_runs(s, [&](Index row, Index column, Index pixel) {
    std::copy_n(image + pixel, s.in_channels, patches.data() + row * s.patch() + column);
  });
  return patches;
}

}  // namespace

void conv2d(const ConvShape& s, ConstView x, ConstView w, ConstView bias, View y) {
  const Index positions = s.out_height() * s.out_width();
  for (Index b = 0; b < s.batch; ++b) {
    const Tensor patches = patches_of(s, x.data + b * s.height * s.width * s.in_channels);
    Real* out = y.data + b * positions * s.out_channels;
    if (bias.data)
      for (Index p = 0; p < positions; ++p)
        std::copy_n(bias.data, s.out_channels, out + p * s.out_channels);
    gemm({.m = positions,
          .n = s.out_channels,
          .k = s.patch(),
          .a = patches.data(),
          .lda = s.patch(),
          .b = w.data,
          .ldb = s.out_channels,
          .beta = bias.data ? Real{1} : Real{0},
          .c = out,
          .ldc = s.out_channels});
  }
}

void conv2d_backward_data(const ConvShape& s, ConstView w, ConstView dy, View dx) {
  const Index positions = s.out_height() * s.out_width();
  std::fill_n(dx.data, dx.size(), Real{0});
  Tensor patches({positions, s.patch()});
  for (Index b = 0; b < s.batch; ++b) {
    gemm({.trans_b = Trans::kYes,
          .m = positions,
          .n = s.patch(),
          .k = s.out_channels,
          .a = dy.data + b * positions * s.out_channels,
          .lda = s.out_channels,
          .b = w.data,
          .ldb = s.out_channels,
          .c = patches.data(),
          .ldc = s.patch()});
    Real* image = dx.data + b * s.height * s.width * s.in_channels;
    for_patch_runs(s, [&](Index row, Index column, Index pixel) {
      const Real* from = patches.data() + row * s.patch() + column;
      for (Index c = 0; c < s.in_channels; ++c) image[pixel + c] += from[c];
    });
  }
}

void conv2d_backward_weights(const ConvShape& s, ConstView x, ConstView dy, View dw, View dbias) {
  const Index positions = s.out_height() * s.out_width();
  for (Index b = 0; b < s.batch; ++b) {
    const Tensor patches = patches_of(s, x.data + b * s.height * s.width * s.in_channels);
    const Real* out = dy.data + b * positions * s.out_channels;
    gemm({.trans_a = Trans::kYes,
          .m = s.patch(),
          .n = s.out_channels,
          .k = positions,
          .a = patches.data(),
          .lda = s.patch(),
          .b = out,
          .ldb = s.out_channels,
          .beta = 1,
          .c = dw.data,
          .ldc = s.out_channels});
    if (dbias.data)
      for (Index p = 0; p < positions; ++p)
        for (Index o = 0; o < s.out_channels; ++o) dbias[o] += out[p * s.out_channels + o];
  }
}

}  // namespace kernels::reference
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
