// The normalizer axis: how scores become weights. Each normalizer is one op and one line in
// normalizers.def.
#pragma once

#include <functional>

#include "core/attention/normalizer_kind.h"
#include "core/autograd/tape.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

// scores [R, L] -> weights [R, L]; -infinity becomes exactly 0.
using Normalizer = std::function<Var(Var scores)>;

// The op of a registry entry.
Normalizer normalizer_of(NormalizerKind kind);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
