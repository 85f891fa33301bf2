#include <algorithm>

#include "core/kernels/internal/conv_gain.h"
#include "core/kernels/optimized/conv_primitive.h"
#include "core/kernels/optimized/winograd.h"
#include "core/parallel/kernel_parts.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {
namespace {

// Calls body(shape of some images, their first input number, their first output number). Winograd's
// layout is used for a few images at a time, which stay in the cache.
template <class Body>
void for_parts(const ConvShape& shape, Body body) {
  constexpr Index kPositions = 3136;
  const Index in = shape.input().size() / shape.batch, out = shape.output().size() / shape.batch;
  const Index positions = out / shape.out_channels;
  const Index most =
      library_uses_winograd(shape) ? (kPositions + positions - 1) / positions : shape.batch;
  for (Index first = 0; first < shape.batch; first += most) {
    ConvShape part = shape;
    part.batch = std::min(most, shape.batch - first);
    body(part, first * in, first * out);
  }
}

bool ours_pays(const ConvShape& shape) {
  return !library_has_winograd() && conv_precision(shape) == Precision::kF32 &&
         winograd::pays(shape);
}

// The same of a forward pass, which may be cut.
bool filters_ourselves(const ConvShape& shape) {
  const bool rounds = conv_precision(shape) == Precision::kBf16;
  return !rounds &&
         (parallel::splits_kernels() ? winograd::pays_in_parts(shape) : ours_pays(shape));
}

ConvKey forward_key(const ConvShape& shape, const ConvEpilogue& epilogue) {
  return {.shape = shape,
          .direction = ConvDirection::kForward,
          .bias = epilogue.bias.data != nullptr,
          .skip = epilogue.skip.data != nullptr,
          .activation = epilogue.activation,
          .precision = conv_precision(shape)};
}

// The output rows [begin, end) of one image.
void forward_rows(const ConvKey& whole, const ConvForward& at, Index begin, Index end) {
  const ConvShape& s = whole.shape;
  // The input rows from the first tap of the first row; some may lie outside the image.
  const Index first = begin * s.stride - s.padding.before;
  const Index last = (end - 1) * s.stride - s.padding.before + s.reach(s.kernel_height);
  const Index top = std::max(Index{0}, first), bottom = std::min(s.height, last);
  ConvKey part = whole;
  part.shape.height = bottom - top;
  part.rows = Padding(top - first, last - bottom);
  const Index out = begin * s.out_width() * s.out_channels;
  conv_forward(part, {.x = at.x + top * s.width * s.in_channels,
                      .w = at.w,
                      .bias = at.bias,
                      .skip = at.skip ? at.skip + out : nullptr,
                      .y = at.y + out,
                      .gain = at.gain});
}

// The output channels [begin, end) of one image. oneDNN writes them side by side.
void forward_channels(const ConvKey& whole, const ConvForward& at, Index begin, Index end) {
  const Index all = whole.shape.out_channels, width = end - begin;
  const Index positions = whole.shape.out_height() * whole.shape.out_width();
  ConvKey part = whole;
  part.shape.out_channels = width;
  static parallel::PerThread<Tensor> buffers;
  Real* const y = room(buffers.get(), positions * width);
  for (Index p = 0; at.skip && p < positions; ++p)
    std::copy_n(at.skip + p * all + begin, width, y + p * width);
  conv_forward(part, {.x = at.x,
                      .w = at.w + begin,
                      .bias = at.bias ? at.bias + begin : nullptr,
                      .skip = at.skip ? y : nullptr,
                      .y = y,
                      .gain = at.gain ? at.gain + begin : nullptr});
  for (Index p = 0; p < positions; ++p) std::copy_n(y + p * width, width, at.y + p * all + begin);
}

// The images [begin, end) of a batch.
void forward_images(const ConvKey& whole, const ConvForward& at, Index begin, Index end) {
  const Index in = whole.shape.input().size() / whole.shape.batch;
  const Index out = whole.results() / whole.shape.batch;
  ConvKey part = whole;
  part.shape.batch = end - begin;
  conv_forward(part, {.x = at.x + begin * in,
                      .w = at.w,
                      .bias = at.bias,
                      .skip = at.skip ? at.skip + begin * out : nullptr,
                      .y = at.y + begin * out,
                      .gain = at.gain});
}

// Computes a convolution in parts. oneDNN packs the weights for every part of the rows, and the
// results of a part of the channels are copied, so an image is cut where that costs less.
void forward_in_parts(const ConvKey& whole, const ConvForward& at) {
  constexpr Index kFewestChannels = 32;
  // Reading and writing an image takes as long as this many multiplications for each result.
  constexpr Index kLeastPatch = 16;
  const ConvShape& s = whole.shape;
  const auto cut = [&](auto forward_part, Index count, Index unit) {
    const Index cost = whole.results() / count * std::max(s.patch(), kLeastPatch);
    parallel::split_kernel({.count = count, .unit = unit, .cost = cost},
                           [&](Index begin, Index end) {
                             if (end - begin == count) return conv_forward(whole, at);
                             forward_part(whole, at, begin, end);
                           });
  };
  if (s.batch > 1) return cut(forward_images, s.batch, 1);
  const bool channels_apart =
      s.groups == 1 && s.in_channels > 1 && s.out_channels >= 2 * kFewestChannels;
  if (channels_apart && parallel::kMostParts * s.weights().size() > whole.results())
    return cut(forward_channels, s.out_channels, kFewestChannels);
  cut(forward_rows, s.out_height(), 1);
}

}  // namespace

void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue,
            View y) {
  if (sees_only_padding(shape)) return reference::conv2d(shape, x, w, epilogue, y);
  if (filters_ourselves(shape))
    return epilogue.gain.data ? winograd::conv2d(shape, x, scaled_weights(w, epilogue.gain).view(),
                                                 without_gain(epilogue), y)
                              : winograd::conv2d(shape, x, w, epilogue, y);
  const ConvForward all{.x = x.data,
                        .w = w.data,
                        .bias = epilogue.bias.data,
                        .skip = epilogue.skip.data,
                        .y = y.data,
                        .gain = epilogue.gain.data};
  if (parallel::splits_kernels()) return forward_in_parts(forward_key(shape, epilogue), all);
  for_parts(shape, [&](const ConvShape& part, Index in, Index out) {
    conv_forward(forward_key(part, epilogue), {.x = all.x + in,
                                               .w = all.w,
                                               .bias = all.bias,
                                               .skip = all.skip ? all.skip + out : nullptr,
                                               .y = all.y + out,
                                               .gain = all.gain});
  });
}

void conv2d_backward(const ConvShape& shape, ConstView x, ConstView w, ConstView dy,
                     const ConvGradients& gradients, ConstView gain) {
  if (sees_only_padding(shape)) return reference::conv2d_backward(shape, x, w, dy, gradients, gain);
  ConvGradients wanted = gradients;
  if (gathers_too_much(shape)) {
    ConvGradients to_weights = gradients;
    to_weights.dx = {}, wanted.dw = {}, wanted.dgain = {};
    reference::conv2d_backward(shape, x, w, dy, to_weights, gain);
  }
  if (ours_pays(shape))
    return with_scaled_weights(w, gain, wanted, [&](ConstView weights, const ConvGradients& to) {
      if (to.dx.data) winograd::conv2d_backward_data(shape, weights, dy, to.dx);
      if (!to.dw.data) return;
      if (to.write == Write::kAssign) std::fill_n(to.dw.data, to.dw.size(), Real{0});
      winograd::conv2d_backward_weights(shape, x, dy, to.dw, to.dbias);
    });
  for_parts(shape, [&](const ConvShape& part, Index in, Index out) {
    ConvGradients of_part = wanted;
    if (wanted.dx.data) of_part.dx = {wanted.dx.data + in, part.input()};
    if (in > 0) of_part.write = Write::kAccumulate;
    conv_backward(part, x.data + in, w, dy.data + out, of_part, gain);
  });
}

}  // namespace kernels::optimized
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
