#include "core/kernels/conv.h"

#include <Eigen/Core>
#include <algorithm>

#include "core/base/error.h"
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

void conv2d(const ConvShape& shape, ConstView x, ConstView w, const ConvEpilogue& epilogue,
            View y) {
  check(shape, x.shape, w.shape, y.shape);
  check_bias(shape, epilogue.bias.data, epilogue.bias.size());
  SACCADE_ASSERT(!epilogue.skip.data || epilogue.skip.shape == y.shape, "conv2d skip ",
                 epilogue.skip.shape, " for ", y.shape);
  check_bias(shape, epilogue.gain.data, epilogue.gain.size());
  SACCADE_ASSERT(!epilogue.gain.data || takes_gain(shape), "conv2d with a gain");
  log_work(ConvPass::kForward, shape);
  const WorkLog::Pause pause;
  if (y.size() > 0) chosen::conv2d(shape, x, w, epilogue, y);
}

void residual_blocks(std::span<const ResidualBlock> blocks, ConstView x, View y) {
  Shape given = x.shape;
  for (const ResidualBlock& block : blocks) {
    Shape made = given;
    SACCADE_ASSERT(block.links.size() > 1, "a residual block of one convolution");
    for (const ConvLink& link : block.links) {
      check(link.shape, made, link.w.shape, link.shape.output());
      made = link.shape.output();
    }
    if (block.shortcut) check(block.shortcut->shape, given, block.shortcut->w.shape, made);
    SACCADE_ASSERT(made == y.shape && (block.shortcut || given == made), "a residual block ", given,
                   " -> ", made, " for ", y.shape);
    given = made;
  }
  if (y.size() == 0) return;
#ifndef SACCADE_DOUBLE
  if (!parallel::splits_kernels() && !blocks.empty()) {
    for (const ResidualBlock& block : blocks) {
      for (const ConvLink& link : block.links) log_work(ConvPass::kForward, link.shape);
      if (block.shortcut) log_work(ConvPass::kForward, block.shortcut->shape);
    }
    const WorkLog::Pause pause;
    return optimized::residual_blocks(blocks, x, y);
  }
#endif
  Tensor sum = Tensor(x.shape, x.span());
  for (const ResidualBlock& block : blocks) {
    Tensor next, inner;
    if (block.shortcut) {
      next = Tensor(y.shape);
      conv2d(block.shortcut->shape, sum.view(), block.shortcut->w, block.shortcut->epilogue,
             next.view());
    }
    ConstView from = sum.view();
    for (const ConvLink& link : std::span(block.links).first(block.links.size() - 1)) {
      Tensor result(link.shape.output());
      conv2d(link.shape, from, link.w, link.epilogue, result.view());
      inner = std::move(result);
      from = inner.view();
    }
    if (block.shortcut) sum = std::move(next);
    ConvEpilogue epilogue = block.links.back().epilogue;
    epilogue.skip = sum.view();
    conv2d(block.links.back().shape, from, block.links.back().w, epilogue, sum.view());
  }
  std::ranges::copy(sum.span(), y.data);
}

#ifdef SACCADE_DOUBLE
bool takes_gain(const ConvShape&) { return false; }
#else
bool takes_gain(const ConvShape& shape) { return optimized::takes_gain(shape); }
#endif

void scale_weights(ConstView w, ConstView gain, View scaled) {
  parallel::split_kernel(
      {.count = w.rows(), .cost = w.cols() * parallel::kPlainCost}, [&](Index begin, Index end) {
        for (Index r = begin; r < end; ++r)
          array(scaled.row(r), w.cols()) = array(w.row(r), w.cols()) * array(gain);
      });
}

void conv2d_backward_data(const ConvShape& shape, ConstView w, ConstView dy, View dx) {
  check(shape, dx.shape, w.shape, dy.shape);
  log_work(ConvPass::kData, shape);
  const WorkLog::Pause pause;
  if (dx.size() > 0) chosen::conv2d_backward_data(shape, w, dy, dx);
}

void conv2d_backward_weights(const ConvShape& shape, ConstView x, ConstView dy, View dw,
                             View dbias) {
  check(shape, x.shape, dw.shape, dy.shape);
  check_bias(shape, dbias.data, dbias.size());
  log_work(ConvPass::kWeights, shape);
  const WorkLog::Pause pause;
  if (dy.size() > 0) chosen::conv2d_backward_weights(shape, x, dy, dw, dbias);
}

}  // namespace kernels
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
