#include "core/kernels/conv.h"

#include <Eigen/Core>
#include <algorithm>

#include "core/base/error.h"
#include "core/kernels/internal/conv_gain.h"
#include "core/kernels/internal/eigen_maps.h"
#include "core/kernels/work_log.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace kernels {

namespace {

#ifdef SACCADE_DOUBLE
namespace chosen = reference;
#else
namespace chosen = optimized;
#endif

void check(const ConvShape& shape, const Shape& x, const Shape& w, const Shape& y) {
  SACCADE_ASSERT(shape.groups > 0 && shape.in_channels % shape.groups == 0 &&
                     shape.out_channels % shape.groups == 0,
                 "conv2d ", shape.groups, " groups of ", shape.in_channels, " and ",
                 shape.out_channels, " channels");
  SACCADE_ASSERT(shape.stride > 0 && shape.dilation > 0 && shape.padding.before >= 0 &&
                     shape.padding.after >= 0,
                 "conv2d stride ", shape.stride, ", dilation ", shape.dilation, ", padding ",
                 shape.padding.before, ", ", shape.padding.after);
  SACCADE_ASSERT(x == shape.input() && w == shape.weights() && y == shape.output(), "conv2d ", x,
                 " * ", w, " -> ", y);
}

void log_work(ConvPass pass, const ConvShape& shape) {
  if (WorkLog* log = WorkLog::current()) log->convolution(pass, shape);
}

void check_bias(const ConvShape& shape, const Real* data, Index size) {
  SACCADE_ASSERT(!data || size == shape.out_channels, "conv2d bias of ", size, " for ",
                 shape.out_channels, " channels");
}

}  // namespace

Tensor scaled_weights(ConstView w, ConstView gain) {
  Tensor scaled(w.shape);
  scale_weights(w, gain, scaled.view());
  return scaled;
}

void gain_backward(ConstView w, ConstView gain, ConstView dscaled, const ConvGradients& gradients) {
  const auto& [dx, dw, dgain, dbias, write] = gradients;
  const Index channels = w.cols();
  // In double, because it may nearly cancel with the part of the mean (fold_norm_backward).
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(channels);
  for (Index r = 0; r < w.rows(); ++r) {
    const auto d = array(dscaled.row(r), channels);
    if (dw.data && write == Write::kAssign) {
      array(dw.row(r), channels) = d * array(gain);
    } else if (dw.data) {
      array(dw.row(r), channels) += d * array(gain);
    }
    if (dgain.data) sum += d.cast<double>() * array(w.row(r), channels).cast<double>();
  }
  if (dgain.data) array(dgain) += sum.cast<Real>();
}

void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue,
            View y) {
  check(shape, x.shape, w.shape, y.shape);
  check_bias(shape, epilogue.bias.data, epilogue.bias.size());
  SACCADE_ASSERT(!epilogue.skip.data || epilogue.skip.shape == y.shape, "conv2d skip ",
                 epilogue.skip.shape, " for ", y.shape);
  check_bias(shape, epilogue.gain.data, epilogue.gain.size());
  log_work(ConvPass::kForward, shape);
  const WorkLog::Pause pause;
  if (y.size() > 0) chosen::conv2d(shape, x, w, epilogue, y);
}

void residual_blocks(std::span<const ResidualBlock> blocks, ConstView x, View y) {
  const auto check_link = [](const ConvLink& link, const Shape& from) {
    check(link.shape, from, link.w.shape, link.shape.output());
    check_bias(link.shape, link.epilogue.bias.data, link.epilogue.bias.size());
    check_bias(link.shape, link.epilogue.gain.data, link.epilogue.gain.size());
    SACCADE_ASSERT(!link.epilogue.skip.data, "a residual block with a skip of its own");
    log_work(ConvPass::kForward, link.shape);
    return link.shape.output();
  };
  Shape given = x.shape;
  for (const ResidualBlock& block : blocks) {
    SACCADE_ASSERT(block.links.size() > 1, "a residual block of one convolution");
    Shape made = given;
    for (const ConvLink& link : block.links) made = check_link(link, made);
    const Shape added = block.shortcut ? check_link(*block.shortcut, given) : given;
    SACCADE_ASSERT(made == y.shape && added == made, "a residual block ", made, " beside ", added,
                   " for ", y.shape);
    given = made;
  }
  SACCADE_ASSERT(!blocks.empty(), "no residual block");
  const WorkLog::Pause pause;
  if (y.size() > 0) chosen::residual_blocks(blocks, x, y);
}

void scale_weights(ConstView w, ConstView gain, View scaled) {
  parallel::split_kernel(
      {.count = w.rows(), .cost = w.cols() * parallel::kPlainCost}, [&](Index begin, Index end) {
        for (Index r = begin; r < end; ++r)
          array(scaled.row(r), w.cols()) = array(w.row(r), w.cols()) * array(gain);
      });
}

void conv2d_backward(const ConvShape& shape, ConstView x, ConstView w, ConstView dy,
                     const ConvGradients& gradients, ConstView gain) {
  const auto& [dx, dw, dgain, dbias, write] = gradients;
  check(shape, x.shape, w.shape, dy.shape);
  check_bias(shape, gain.data, gain.size());
  check_bias(shape, dbias.data, dbias.size());
  SACCADE_ASSERT((!dx.data || dx.shape == x.shape) && (!dw.data || dw.shape == w.shape),
                 "conv2d_backward ", dx.shape, " and ", dw.shape, " for ", x.shape, " and ",
                 w.shape);
  check_bias(shape, dgain.data, dgain.size());
  SACCADE_ASSERT(gain.data || !dgain.data, "conv2d_backward to no gain");
  const bool to_weights = dw.data || dgain.data;
  if (dx.data) log_work(ConvPass::kData, shape);
  if (to_weights) log_work(ConvPass::kWeights, shape);
  const WorkLog::Pause pause;
  if (dbias.data && !to_weights) sum_rows(dy, dbias);
  if (shape.batch == 0 && dw.data && write == Write::kAssign)
    std::fill_n(dw.data, dw.size(), Real{0});
  if (shape.batch > 0 && (dx.data || to_weights))
    chosen::conv2d_backward(shape, x, w, dy, gradients, gain);
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
