// The normalizer axis: how scores become weights. Each normalizer is one op and one row in
// axes.cpp.
#pragma once

#include <functional>

#include "core/autograd/tape.h"

namespace saccade {

inline namespace SACCADE_NUMERIC {

// scores [R, L] -> weights [R, L]; -infinity becomes exactly 0.
using Normalizer = std::function<Var(Var scores)>;

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
