// One convolution by oneDNN in one direction, on one thread. conv.cpp cuts larger ones into such.
#pragma once

#include "core/kernels/conv.h"
#include "core/kernels/precision.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {

enum class ConvDirection { kForward, kData, kWeights };

// What oneDNN makes a primitive for; each thread keeps those that it used.
struct ConvKey {
  ConvShape shape;
  ConvDirection direction;
  bool bias = false, skip = false;
  Activation activation = Activation::kNone;
  Precision precision = Precision::kF32;
  // Whether the pointers to x and y are to bfloat16 numbers, where operands are rounded.
  bool rounded_x = false, rounded_y = false;
  // A part of an image's rows has padding of its own above and below.
  Padding rows = shape.padding;
  // A part of the output channels reads a part of each row of these weights.
  Index all_channels = shape.out_channels;
  auto operator<=>(const ConvKey&) const = default;

  Index out_height() const {
    return (shape.height + rows.both() - shape.reach(shape.kernel_height)) / shape.stride + 1;
  }
  Index results() const {
    return shape.batch * out_height() * shape.out_width() * shape.out_channels;
  }
};

// Whether some results see nothing of the image. oneDNN (2.6) computes wrong numbers then, and
// reads beyond its arrays; such convolutions are left to the reference version.
bool sees_only_padding(const ConvShape& shape);

// Whether oneDNN (2.6) writes beyond its memory when it computes the gradient of the weights: it
// gathers the pixels of a strided 1 x 1 kernel in whole blocks of 16 channels, and has room for the
// channels alone. Such gradients are left to the reference version.
bool gathers_too_much(const ConvShape& shape);

// What operands are rounded to now (precision.h): only those of whole blocks of 16 channels, or of
// the colours of pictures under kernels of 3 x 3 and more, and of images that the kernel fits in.
// For others, oneDNN (2.6) takes numbers from beyond its arrays.
Precision conv_precision(const ConvShape& shape);

// Whether a convolution in 32-bit floats is one that oneDNN computes by Winograd's filtering.
bool library_uses_winograd(const ConvShape& shape);
// Whether oneDNN has Winograd's filtering on this processor, which it has with AVX-512 only.
bool library_has_winograd();

// The memory of `held`, which gets room for so many numbers if it has less.
inline Real* room(Tensor& held, Index count) {
  if (held.size() < count) held = Tensor({count});
  return held.data();
}

// Where the arguments of a forward pass lie. A null pointer adds nothing.
struct ConvForward {
  const Real *x, *w, *bias, *skip;
  Real* y;
  const Real* gain = nullptr;  // of the output channels (ConvEpilogue)
};
void conv_forward(const ConvKey& key, const ConvForward& at);
// conv2d_backward(), of images that begin at x and sums whose gradient begins at dy.
void conv_backward(const ConvShape& shape, const Real* x, ConstView w, const Real* dy,
                   const ConvGradients& gradients, ConstView gain);

}  // namespace kernels::optimized
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
