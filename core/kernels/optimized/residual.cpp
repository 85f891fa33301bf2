#include <algorithm>
#include <array>

#include "core/kernels/optimized/conv_primitive.h"
#include "core/parallel/per_thread.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels::optimized {
namespace {

bool rounds(const ConvLink& link) { return conv_precision(link.shape) == Precision::kBf16; }

// The numbers of one image.
Index given(const ConvLink& link) { return link.shape.input().size() / link.shape.batch; }
Index made(const ConvLink& link) { return link.shape.output().size() / link.shape.batch; }

std::span<const ConvLink> inner(const ResidualBlock& block) {
  return std::span(block.links).first(block.links.size() - 1);
}

// So many images at a time that the largest result inside of a block takes about two megabytes, and
// all parts have nearly as many.
Index images_at_a_time(std::span<const ResidualBlock> blocks) {
  constexpr Index kNumbers = Index{1} << 19;
  const Index batch = blocks[0].links[0].shape.batch;
  Index largest = 1;
  for (const ResidualBlock& block : blocks)
    for (const ConvLink& link : inner(block)) largest = std::max(largest, made(link));
  const Index most = std::clamp(kNumbers / largest, Index{1}, batch);
  const Index parts = (batch + most - 1) / most;
  return (batch + parts - 1) / parts;
}

// A result: floats, or bfloat16 numbers to which the pointer is cast.
struct Numbers {
  Real* data;
  bool rounded = false;
};

// y = the convolution of x; where `adds`, y holds what is added to it.
void convolve(const ConvLink& link, Index images, const Real* x, bool rounded_x, Numbers y,
              bool adds = false) {
  ConvShape shape = link.shape;
  shape.batch = images;
  const ConvEpilogue& e = link.epilogue;
  if (!rounds(link)) {
    ConvEpilogue epilogue = e;
    if (adds) epilogue.skip = {y.data, shape.output()};
    return optimized::conv2d(shape, {x, shape.input()}, link.w, epilogue, {y.data, shape.output()});
  }
  conv_forward({.shape = shape,
                .direction = ConvDirection::kForward,
                .bias = e.bias.data != nullptr,
                .skip = adds,
                .activation = e.activation,
                .precision = Precision::kBf16,
                .rounded_x = rounded_x,
                .rounded_y = y.rounded},
               {.x = x,
                .w = link.w.data,
                .bias = e.bias.data,
                .skip = adds ? y.data : nullptr,
                .y = y.data,
                .gain = e.gain.data});
}

// Computes a block for some images. Where it has no shortcut, x may be y.
void compute(const ResidualBlock& block, Index images, const Real* x, Real* y) {
  static parallel::PerThread<std::array<Tensor, 3>> buffers;
  auto& [for_x, even, odd] = buffers.get();
  const ConvLink& first = block.links.front();
  const Index size = images * given(first);
  const Real* from = x;
  bool rounded = false;
  if (block.shortcut && rounds(first) && rounds(*block.shortcut)) {  // once for both
    Real* const copy = room(for_x, (size + 1) / 2);
    round_to_bf16({x, static_cast<std::size_t>(size)}, reinterpret_cast<std::uint16_t*>(copy));
    from = copy, rounded = true;
  }
  if (block.shortcut) {
    convolve(*block.shortcut, images, from, rounded, {y});
  } else if (x != y) {
    std::copy_n(x, size, y);
  }
  for (std::size_t i = 0; i + 1 < block.links.size(); ++i) {
    const ConvLink& link = block.links[i];
    const Numbers result{room(i % 2 == 0 ? even : odd, images * made(link)),
                         rounds(link) && rounds(block.links[i + 1])};
    convolve(link, images, from, rounded, result);
    from = result.data, rounded = result.rounded;
  }
  convolve(block.links.back(), images, from, rounded, {y}, true);
}

}  // namespace

void residual_blocks(std::span<const ResidualBlock> blocks, ConstView x, View y) {
  const Index batch = y.shape[0], in = x.size() / batch, out = y.size() / batch;
  const Index most = images_at_a_time(blocks);
  static parallel::PerThread<Tensor> buffers;
  for (Index begin = 0; begin < batch; begin += most) {
    const Index images = std::min(most, batch - begin);
    Real* const result = y.data + begin * out;
    const Real* from = x.data + begin * in;
    for (const ResidualBlock& block : blocks) {
      if (block.shortcut && from == result) {
        Real* const copy = room(buffers.get(), images * out);
        std::copy_n(result, images * out, copy);
        from = copy;
      }
      compute(block, images, from, result);
      from = result;
    }
  }
}

}  // namespace kernels::optimized
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
