// The normalizer axis: how scores become weights. Each normalizer is one op and one line in
// normalizers.def.
#pragma once

#include <functional>

#include "core/autograd/tape.h"

namespace saccade {

enum class NormalizerKind;  // normalizer_kind.h

inline namespace SACCADE_NUMERIC {

// scores [R, L] -> weights [R, L]; -infinity becomes exactly 0.
using Normalizer = std::function<Var(Var scores)>;

// The op of a registry entry.
Normalizer normalizer_of(NormalizerKind kind);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
