// Saves memory in networks that run forward only.
#pragma once

#include <algorithm>
#include <utility>

#include "core/autograd/tape.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// Applies make(i, x) to a value for i = 0 .. count - 1, each time to the result of the call before.
// While nothing is recorded, only the last result stays in the tape's arena, so that a deep network
// needs no more memory than its largest part. No other Var that make() created, nor a view of one,
// may be used afterwards.
template <class Make>
Var keep_last(Tape& tape, Var x, std::size_t count, Make make) {
  if (tape.recording()) {
    for (std::size_t i = 0; i < count; ++i) x = make(i, x);
    return x;
  }
  const Arena::Mark before = tape.arena().mark();
  // A tensor, whose numbers start where vector registers like it: sums of rows that start elsewhere
  // have other last digits.
  Tensor value;
  for (std::size_t i = 0; i < count; ++i) {
    const Var made = make(i, x);
    Tensor next(made.shape(), made.value().span());
    tape.arena().rewind(before);
    value = std::move(next);
    x = tape.constant(value.view());
  }
  if (count == 0) return x;
  Real* const kept = tape.scratch(value.size());
  std::ranges::copy(value.span(), kept);
  return tape.constant({kept, value.shape()});
}

// The same for a single part: only the result of make() stays, and what it computed on the way is
// freed.
template <class Make>
Var keep_value(Tape& tape, Make make) {
  return keep_last(tape, {}, 1, [&](std::size_t, Var) { return make(); });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
