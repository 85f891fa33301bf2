// Convolution and pooling over images [B, H, W, C] (channels last, so that [B, rows, cols, C] read
// as [B, L, D] is a grid of regions). Every op throws ShapeError on shapes that do not fit.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/conv.h"
#include "core/ops/norm_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

struct Conv2dOptions {
  Index stride = 1;
  Padding padding = {};  // one number: on all sides
  Index groups = 1;      // divides both channels; as many as input channels: depthwise
  Activation activation = Activation::kNone;  // in the same pass
  Index dilation = 1;                         // pixels from tap to tap of the kernel
};

// y[b, i, j, o] = f(bias[o] + sum_{u, v, c} x[b, i s + u d - p, j s + v d - p, c] w[u, v, c, o])
// with d = dilation, p = padding.before and c over the channels of o's group; x [B, H, W, in],
// w [kh, kw, in / groups, out], bias [out] or no Var -> [B, H', W', out],
// H' = floor((H + padding.both() - (kh - 1) d - 1) / s) + 1.
// The gradient of w is added on the tape (Tape::grad), also for a parameter; that of x is computed
// only if x requires it.
Var conv2d(Var x, Var w, Var bias = {}, const Conv2dOptions& options = {});

// f(batch_norm(conv2d(x, w)) + skip) with the normalisation folded into the convolution's weights,
// so that it costs neither a pass nor the memory of one; skip as the result, or no Var.
Var conv_norm(Var x, Var w, const ChannelNorm& norm, Var skip = {},
              const Conv2dOptions& options = {});

struct Pool2dOptions {
  Index kernel = 2;
  Index stride = 2;
  Index padding = 0;  // less than kernel; pixels outside the image count for nothing
};

// The largest number of each window; the first of equals gets the gradient.
// x [B, H, W, C] -> [B, H', W', C] with H' as in conv2d.
Var max_pool2d(Var x, const Pool2dOptions& options = {});
// The mean of each window's pixels inside the image; shapes as max_pool2d.
Var avg_pool2d(Var x, const Pool2dOptions& options = {});
// [B, H, W, C] -> [B, C], the mean over all pixels.
Var global_avg_pool(Var x);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
