// Memory of networks that never go back.
#pragma once

#include <algorithm>
#include <vector>

#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// What make() computes. While nothing is recorded only that value stays in the tape's arena, so
// that a deep network takes the memory of its deepest layer: no other Var that make() made, nor a
// view of one, may be used afterwards. While recording it is make() itself.
template <class Make>
Var keep_value(Tape& tape, Make make) {
  if (tape.recording()) return make();
  const Arena::Mark before = tape.arena().mark();
  const Var made = make();
  const std::span<const Real> numbers = made.value().span();
  const std::vector<Real> value(numbers.begin(), numbers.end());
  const Shape shape = made.shape();
  tape.arena().rewind(before);
  Real* const kept = tape.scratch(shape.size());
  std::copy(value.begin(), value.end(), kept);
  return tape.constant({kept, shape});
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
