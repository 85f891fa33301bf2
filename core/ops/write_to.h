// How a kernel writes to a gradient of a tape.
#pragma once

#include "core/autograd/tape.h"
#include "core/kernels/pointwise.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {
namespace ops {

inline kernels::Write write_to(const Tape::GradTarget& target) {
  return target.fresh ? kernels::Write::kAssign : kernels::Write::kAccumulate;
}

}  // namespace ops
}  // namespace SACCADE_NUMERIC
}  // namespace saccade
