#include "core/ops/conv_ops.h"

#include <algorithm>
#include <vector>

#include "core/autograd/keep_value.h"
#include "core/kernels/batch_norm.h"
#include "core/kernels/constant_weights.h"
#include "core/kernels/conv.h"
#include "core/kernels/pointwise.h"
#include "core/kernels/pool.h"
#include "core/ops/shape_ops.h"
#include "core/ops/write_to.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

ConvShape conv_shape(const char* op, const Shape& image, Var w, const Conv2dOptions& options) {
  const Shape kernel = w.shape();
  SACCADE_CHECK(image.rank() == 4 && kernel.rank() == 4, "[", op,
                "] needs x [B, H, W, in] and w [kh, kw, in / groups, out]; got ", image, " and ",
                kernel);
  SACCADE_CHECK(options.groups > 0 && image[3] == kernel[2] * options.groups &&
                    kernel[3] % options.groups == 0,
                "[", op, "] input channels differ, or groups do not divide the channels; got ",
                image, " and ", kernel, ", groups ", options.groups);
  SACCADE_CHECK(options.stride > 0 && options.dilation > 0 && options.padding.before >= 0 &&
                    options.padding.after >= 0,
                "[", op, "] stride ", options.stride, " and dilation ", options.dilation,
                " must be positive and padding ", options.padding.before, ", ",
                options.padding.after, " not negative");
  const auto reach = [&](Index taps) { return (taps - 1) * options.dilation + 1; };
  SACCADE_CHECK(image[1] + options.padding.both() >= reach(kernel[0]) &&
                    image[2] + options.padding.both() >= reach(kernel[1]) && kernel.size() > 0,
                "[", op, "] the kernel is empty or larger than the image; got ", image, " and ",
                kernel, ", padding ", options.padding.before, ", ", options.padding.after,
                ", dilation ", options.dilation);
  return {.batch = image[0],
          .height = image[1],
          .width = image[2],
          .in_channels = image[3],
          .out_channels = kernel[3],
          .kernel_height = kernel[0],
          .kernel_width = kernel[1],
          .stride = options.stride,
          .padding = options.padding,
          .groups = options.groups,
          .dilation = options.dilation};
}

// Memory in the tape's arena that is needed only until the end of a scope.
class Scratch {
 public:
  explicit Scratch(Tape& tape) : tape_(tape), mark_(tape.arena().mark()) {}
  ~Scratch() { tape_.arena().rewind(mark_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  View view(const Shape& shape) { return {tape_.scratch(shape.size()), shape}; }
  View zeros(const Shape& shape) {
    const View zero = view(shape);
    std::fill_n(zero.data, zero.size(), Real{0});
    return zero;
  }

 private:
  Tape& tape_;
  Arena::Mark mark_;
};

// The gradient before the activation of y; the gradient of y itself where there is no activation.
ConstView through_activation(Tape& tape, Activation f, Var y, Scratch& scratch) {
  if (f == Activation::kNone) return tape.grad(y);
  const View d = tape.may_overwrite_grad(y) ? tape.grad(y) : scratch.view(y.shape());
  kernels::activation_backward(f, y.value(), tape.grad(y), d);
  return d;
}

// The gradients of a convolution, of which that of the image is a target of the tape.
void convolution_back(const ConvShape& shape, ConstView x, ConstView w, ConstView d,
                      const Tape::GradTarget& dx, kernels::ConvGradients gradients,
                      Scratch& scratch, ConstView gain = {}) {
  const bool adds = dx.view.data && !dx.fresh;
  gradients.dx = adds ? scratch.view(dx.view.shape) : dx.view;  // the kernel assigns it
  kernels::conv2d_backward(shape, x, w, d, gradients, gain);
  if (adds) kernels::accumulate(gradients.dx, dx.view);
}

ConvShape normed_shape(const Shape& image, const NormedConv& conv) {
  const ConvShape shape = conv_shape("conv_norm", image, conv.w, conv.options);
  const Shape channels{shape.out_channels};
  const ChannelNorm& norm = conv.norm;
  SACCADE_CHECK(norm.gamma.shape() == channels && norm.beta.shape() == channels &&
                    norm.mean.shape == channels && norm.variance.shape == channels,
                "[conv_norm] gamma, beta, mean and variance must be ", channels, "; got ",
                norm.gamma.shape(), ", ", norm.beta.shape(), ", ", norm.mean.shape, ", ",
                norm.variance.shape);
  return shape;
}

// The convolution with its normalisation in the epilogue.
kernels::ConvLink folded(const ConvShape& shape, const NormedConv& conv, ConstView rstd,
                         Scratch& scratch) {
  const ChannelNorm& norm = conv.norm;
  const View gain = scratch.view(rstd.shape), bias = scratch.view(rstd.shape);
  kernels::fold_norm(norm.gamma.value(), norm.beta.value(), norm.mean, rstd, gain, bias);
  ConstView w = conv.w.value();
  // A gain that may change is not for weights that are held, with which it would be kept. Models
  // hold both or none.
  if (are_constant({w.span()}) &&
      !are_constant({norm.gamma.value().span(), norm.mean.span(), norm.variance.span()})) {
    const View copy = scratch.view(w.shape);
    std::ranges::copy(w.span(), copy.data);
    w = copy;
  }
  return {
      .shape = shape,
      .w = w,
      .epilogue = {.bias = bias, .skip = {}, .activation = conv.options.activation, .gain = gain}};
}

bool needs_gradient(const NormedConv& conv) {
  return conv.w.requires_grad() || conv.norm.gamma.requires_grad() ||
         conv.norm.beta.requires_grad();
}

bool block_needs_gradient(const ResidualBlock& block) {
  return std::ranges::any_of(block.convs, needs_gradient) ||
         (block.shortcut && needs_gradient(*block.shortcut));
}

// The block for an image of this shape.
kernels::ResidualBlock folded(const Shape& image, const ResidualBlock& block, Scratch& scratch) {
  const auto link_of = [&](const Shape& given, const NormedConv& conv) {
    const ConvShape shape = normed_shape(given, conv);
    const View rstd = scratch.view({shape.out_channels});
    kernels::reciprocal_deviation(conv.norm.epsilon, conv.norm.variance, rstd);
    return folded(shape, conv, rstd, scratch);
  };
  kernels::ResidualBlock result;
  Shape made = image;
  for (const NormedConv& conv : block.convs) {
    result.links.push_back(link_of(made, conv));
    made = result.links.back().shape.output();
  }
  if (block.shortcut) result.shortcut = link_of(image, *block.shortcut);
  return result;
}

PoolShape pool_shape(const char* op, Var x, const Pool2dOptions& options) {
  const Shape& image = x.shape();
  SACCADE_CHECK(image.rank() == 4, "[", op, "] needs [B, H, W, C]; got ", image);
  SACCADE_CHECK(options.stride > 0 && options.padding >= 0 && options.padding < options.kernel, "[",
                op, "] needs stride > 0 and 0 <= padding < kernel; got stride ", options.stride,
                ", padding ", options.padding, ", kernel ", options.kernel);
  SACCADE_CHECK(image[1] + 2 * options.padding >= options.kernel &&
                    image[2] + 2 * options.padding >= options.kernel,
                "[", op, "] the window ", options.kernel, " is larger than the image ", image,
                " with padding ", options.padding);
  return {.batch = image[0],
          .height = image[1],
          .width = image[2],
          .channels = image[3],
          .kernel = options.kernel,
          .stride = options.stride,
          .padding = options.padding};
}

}  // namespace

Var conv2d(Var x, Var w, Var bias, const Conv2dOptions& options) {
  const ConvShape shape = conv_shape("conv2d", x.shape(), w, options);
  SACCADE_CHECK(!bias || bias.shape().size() == shape.out_channels, "[conv2d] bias ",
                bias ? bias.shape() : Shape{}, " for ", shape.out_channels, " output channels");
  const Activation f = options.activation;
  Tape& tape = x.tape();
  const Var y = tape.output(shape.output(), {x, w, bias});
  kernels::conv2d(shape, x.value(), w.value(),
                  {.bias = bias ? bias.value() : ConstView{}, .skip = {}, .activation = f},
                  tape.mutable_value(y));
  tape.record(y, [x, w, bias, y, shape, f, t = &tape] {
    // Memory that stays is allocated before scratch memory.
    const auto dx = x.requires_grad() ? t->grad_target(x) : Tape::GradTarget{};
    const auto dw = w.requires_grad() ? t->grad_target(w) : Tape::GradTarget{};
    const View dbias = bias && bias.requires_grad() ? t->grad(bias) : View{};
    Scratch scratch(*t);
    const ConstView d = through_activation(*t, f, y, scratch);
    convolution_back(shape, x.value(), w.value(), d, dx,
                     {.dw = dw.view, .dbias = dbias, .write = write_to(dw)}, scratch);
  });
  return y;
}

Var conv_norm(Var x, const NormedConv& conv, Var skip) {
  const ConvShape shape = normed_shape(x.shape(), conv);
  SACCADE_CHECK(!skip || skip.shape() == shape.output(), "[conv_norm] skip ",
                skip ? skip.shape() : Shape{}, " beside ", shape.output());
  const Var w = conv.w, gamma = conv.norm.gamma, beta = conv.norm.beta;
  const Activation f = conv.options.activation;
  Tape& tape = x.tape();
  const Var y = tape.output(shape.output(), {x, w, gamma, beta, skip});
  const View rstd{tape.scratch(shape.out_channels), {shape.out_channels}};
  kernels::reciprocal_deviation(conv.norm.epsilon, conv.norm.variance, rstd);
  {
    Scratch scratch(tape);
    kernels::ConvLink link = folded(shape, conv, rstd, scratch);
    if (skip) link.epilogue.skip = skip.value();
    kernels::conv2d(shape, x.value(), link.w, link.epilogue, tape.mutable_value(y));
  }
  tape.record(y, [x, conv, skip, y, shape, f, rstd, t = &tape] {
    const auto wanted = [&](Var v) { return v.requires_grad() ? t->grad(v) : View{}; };
    const auto dx = x.requires_grad() ? t->grad_target(x) : Tape::GradTarget{};
    // The gradient before the activation is also that of the skip.
    const bool handed = skip && skip.requires_grad() && t->hand_over_grad(y, skip);
    const View dskip = skip && !handed ? wanted(skip) : View{};
    const ChannelNorm& norm = conv.norm;
    const View dgamma = wanted(norm.gamma), dbeta = wanted(norm.beta);
    const auto dw = conv.w.requires_grad() ? t->grad_target(conv.w) : Tape::GradTarget{};
    Scratch scratch(*t);
    const ConstView d = through_activation(*t, f, y, scratch);
    const View dgain = dgamma.data ? scratch.zeros(rstd.shape) : View{};
    const View dbias = dgamma.data || dbeta.data ? scratch.zeros(rstd.shape) : View{};
    const kernels::ConvLink link = folded(shape, conv, rstd, scratch);
    convolution_back(shape, x.value(), link.w, d, dx,
                     {.dw = dw.view, .dgain = dgain, .dbias = dbias, .write = write_to(dw)},
                     scratch, link.epilogue.gain);
    if (dskip.data) kernels::accumulate(d, dskip);
    kernels::fold_norm_backward(norm.mean, rstd, dgain, dbias, dgamma, dbeta);
  });
  return y;
}

Var residual_blocks(Var x, std::span<const ResidualBlock> blocks) {
  for (const ResidualBlock& block : blocks)
    SACCADE_CHECK(block.convs.size() > 1, "[residual_blocks] a block has ", block.convs.size(),
                  " convolutions");
  if (blocks.empty()) return x;
  Tape& tape = x.tape();
  if (parallel::splits_kernels() || x.requires_grad() ||
      std::ranges::any_of(blocks, block_needs_gradient))
    return keep_last(tape, x, blocks.size(), [&](std::size_t b, Var in) {
      const auto& [convs, shortcut] = blocks[b];
      const Var skip = shortcut ? conv_norm(in, *shortcut) : in;
      Var inner = in;
      for (std::size_t i = 0; i + 1 < convs.size(); ++i) inner = conv_norm(inner, convs[i]);
      return conv_norm(inner, convs.back(), skip);
    });
  Shape result = x.shape();
  for (const NormedConv& conv : blocks[0].convs) result = normed_shape(result, conv).output();
  const Var y = tape.output(result, {});
  std::vector<kernels::ResidualBlock> folded_blocks;
  Scratch scratch(tape);
  for (const ResidualBlock& block : blocks) {
    const Shape image = folded_blocks.empty() ? x.shape() : result;
    const auto& [links, shortcut] = folded_blocks.emplace_back(folded(image, block, scratch));
    const Shape made = links.back().shape.output();
    const Shape added = shortcut ? shortcut->shape.output() : image;
    SACCADE_CHECK(made == result && added == result, "[residual_blocks] ", made, " beside ", added,
                  " where the first block makes ", result);
  }
  kernels::residual_blocks(folded_blocks, x.value(), tape.mutable_value(y));
  return y;
}

Var max_pool2d(Var x, const Pool2dOptions& options) {
  const PoolShape shape = pool_shape("max_pool2d", x, options);
  Tape& tape = x.tape();
  const Var y = tape.output(shape.output(), {x});
  const auto count = static_cast<std::size_t>(shape.output().size());
  const std::span<int> where(tape.arena().allocate_array<int>(count), count);
  kernels::max_pool(shape, x.value(), tape.mutable_value(y), where);
  tape.record(y, [x, y, shape, where, t = &tape] {
    kernels::max_pool_backward(shape, where, t->grad(y), t->grad(x));
  });
  return y;
}

Var avg_pool2d(Var x, const Pool2dOptions& options) {
  const PoolShape shape = pool_shape("avg_pool2d", x, options);
  Tape& tape = x.tape();
  const Var y = tape.output(shape.output(), {x});
  kernels::avg_pool(shape, x.value(), tape.mutable_value(y));
  tape.record(
      y, [x, y, shape, t = &tape] { kernels::avg_pool_backward(shape, t->grad(y), t->grad(x)); });
  return y;
}

Var global_avg_pool(Var x) {
  const Shape& image = x.shape();
  SACCADE_CHECK(image.rank() == 4, "[global_avg_pool] needs [B, H, W, C]; got ", image);
  return mean_regions(reshape(x, {image[0], image[1] * image[2], image[3]}));
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
