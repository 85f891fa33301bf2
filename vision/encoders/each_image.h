// Saves time in networks that run forward only.
#pragma once

#include <vector>

#include "core/autograd/keep_value.h"
#include "core/ops/shape_ops.h"
#include "core/parallel/kernel_parts.h"

namespace saccade {

// make(images, their first number) for [B, ...], by one image after the other while nothing is
// recorded: what it computes on the way stays in the cache.
template <class Make>
Var each_image(Var images, Make make) {
  Tape& tape = images.tape();
  const Index count = images.shape()[0];
  if (tape.recording() || parallel::splits_kernels() || count <= 1) return make(images, Index{0});
  std::vector<Var> parts;
  for (Index b = 0; b < count; ++b)
    parts.push_back(keep_value(tape, [&] { return make(ops::slice_rows(images, b, 1), b); }));
  return ops::concat_rows(parts);
}

}  // namespace saccade
