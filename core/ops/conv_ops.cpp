#include "core/ops/conv_ops.h"

#include "core/kernels/conv.h"
#include "core/kernels/pointwise.h"
#include "core/kernels/pool.h"
#include "core/ops/shape_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

namespace {

ConvShape conv_shape(Var x, Var w, Var bias, const Conv2dOptions& options) {
  const Shape &image = x.shape(), &kernel = w.shape();
  SACCADE_CHECK(image.rank() == 4 && kernel.rank() == 4,
                "[conv2d] needs x [B, H, W, in] and w [kh, kw, in, out]; got ", image, " and ",
                kernel);
  SACCADE_CHECK(image[3] == kernel[2], "[conv2d] input channels differ; got ", image, " and ",
                kernel);
  SACCADE_CHECK(!bias || bias.shape().size() == kernel[3], "[conv2d] bias ",
                bias ? bias.shape() : Shape{}, " for ", kernel[3], " output channels");
  SACCADE_CHECK(options.stride > 0 && options.padding.before >= 0 && options.padding.after >= 0,
                "[conv2d] stride ", options.stride, " must be positive and padding ",
                options.padding.before, ", ", options.padding.after, " not negative");
  SACCADE_CHECK(image[1] + options.padding.both() >= kernel[0] &&
                    image[2] + options.padding.both() >= kernel[1] && kernel.size() > 0,
                "[conv2d] the kernel is empty or larger than the image; got ", image, " and ",
                kernel, ", padding ", options.padding.before, ", ", options.padding.after);
  return {.batch = image[0],
          .height = image[1],
          .width = image[2],
          .in_channels = image[3],
          .out_channels = kernel[3],
          .kernel_height = kernel[0],
          .kernel_width = kernel[1],
          .stride = options.stride,
          .padding = options.padding};
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
  const ConvShape shape = conv_shape(x, w, bias, options);
  Tape& tape = x.tape();
  const Var y = tape.output(shape.output(), {x, w, bias});
  kernels::conv2d(shape, x.value(), w.value(), bias ? bias.value() : ConstView{},
                  tape.mutable_value(y));
  tape.record(y, [x, w, bias, y, shape, t = &tape] {
    const ConstView dy = t->grad(y);
    if (x.requires_grad()) {
      const auto dx = t->grad_target(x);
      if (dx.fresh) {
        kernels::conv2d_backward_data(shape, w.value(), dy, dx.view);
      } else {  // oneDNN assigns
        const View part{t->scratch(dx.view.size()), dx.view.shape};
        kernels::conv2d_backward_data(shape, w.value(), dy, part);
        kernels::accumulate(part, dx.view);
      }
    }
    const bool bias_too = bias && bias.requires_grad();
    if (w.requires_grad()) {
      kernels::conv2d_backward_weights(shape, x.value(), dy, t->grad(w),
                                       bias_too ? t->grad(bias) : View{});
    } else if (bias_too) {
      kernels::sum_rows(dy, t->grad(bias));
    }
  });
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
