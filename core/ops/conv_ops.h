// Convolution and pooling over images [B, H, W, C]. Channels come last, so that [B, rows, cols, C]
// can be read as a grid of regions [B, L, D]. Every op throws ShapeError on shapes that do not fit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/autograd/tape.h"
#include "core/kernels/conv.h"
#include "core/ops/norm_ops.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

struct Conv2dOptions {
  Index stride = 1;
  Padding padding = {};  // a single number applies to all sides
  // Must divide the channels of input and output; as many as input channels: depthwise.
  Index groups = 1;
  Activation activation = Activation::kNone;  // applied in the same pass
  Index dilation = 1;                         // pixels between neighbouring taps of the kernel
};

// y[b, i, j, o] = f(bias[o] + sum_{u, v, c} x[b, i s + u d - p, j s + v d - p, c] w[u, v, c, o])
// with d = dilation, p = padding.before and c over the input channels of o's group;
// x [B, H, W, in], w [kh, kw, in / groups, out], bias [out] or no Var -> [B, H', W', out],
// H' = floor((H + padding.both() - (kh - 1) d - 1) / s) + 1.
// The gradient of w is added on the tape (Tape::grad), even for a parameter; that of x is computed
// only if x requires it.
Var conv2d(Var x, Var w, Var bias = {}, const Conv2dOptions& options = {});

// A convolution and the normalisation behind it.
struct NormedConv {
  Var w;
  ChannelNorm norm;
  Conv2dOptions options = {};
};

// f(batch_norm(conv2d(x, w)) + skip), with the normalisation folded into the convolution's weights,
// so that it needs neither a pass nor memory of its own. skip has the shape of the result, or is no
// Var.
Var conv_norm(Var x, const NormedConv& conv, Var skip = {});

// At least two convolutions, each of which reads the result of the one before. The last one adds,
// before its activation, what the block is given or, where there is a shortcut, that convolution of
// it.
struct ResidualBlock {
  std::vector<NormedConv> convs;
  std::optional<NormedConv> shortcut = {};
};
// One block after the other, whose results all have the same shape. Where nothing needs a gradient,
// only the last result gets memory of its own.
Var residual_blocks(Var x, std::span<const ResidualBlock> blocks);

struct Pool2dOptions {
  Index kernel = 2;
  Index stride = 2;
  Index padding = 0;  // less than kernel; pixels outside the image are ignored
};

// The largest number in each window; among equal ones, the first gets the gradient. x [B, H, W, C]
// -> [B, H', W', C], with H' as in conv2d.
Var max_pool2d(Var x, const Pool2dOptions& options = {});
// The mean over the pixels of each window that lie inside the image; shapes as in max_pool2d.
Var avg_pool2d(Var x, const Pool2dOptions& options = {});
// The mean over all pixels, [B, H, W, C] -> [B, C].
Var global_avg_pool(Var x);

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
