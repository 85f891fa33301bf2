// Saves memory in networks that run forward only.
#pragma once

#include <algorithm>
#include <vector>

#include "core/autograd/tape.h"

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
  std::vector<Real> value;
  Shape shape;
  for (std::size_t i = 0; i < count; ++i) {
    const Var made = make(i, x);
    const std::span<const Real> numbers = made.value().span();
    std::vector<Real> next(numbers.begin(), numbers.end());
    shape = made.shape();
    tape.arena().rewind(before);
    value = std::move(next);
    x = tape.constant({value.data(), shape});
  }
  if (count == 0) return x;
  Real* const kept = tape.scratch(shape.size());
  std::copy(value.begin(), value.end(), kept);
  return tape.constant({kept, shape});
}

// The same for a single part: only the result of make() stays, and what it computed on the way is
// freed.
template <class Make>
Var keep_value(Tape& tape, Make make) {
  return keep_last(tape, {}, 1, [&](std::size_t, Var) { return make(); });
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
