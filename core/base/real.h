// The numeric type of this build and the integers of shapes. Everything may include it.
#pragma once

#include <cstdint>

// The same sources are compiled twice: in float for work, and in double (SACCADE_DOUBLE) to check
// gradients. Types that hold Real live in an inline namespace, so that the two builds cannot be
// linked together.
#ifdef SACCADE_DOUBLE
#define SACCADE_NUMERIC f64
#else
#define SACCADE_NUMERIC f32
#endif

namespace saccade {

// The type of weights, features and maps. Programs that use the library have float.
#ifdef SACCADE_DOUBLE
using Real = double;
#else
using Real = float;
#endif

// Extents, offsets and counts. It is signed, so that differences may be negative.
using Index = std::int64_t;

}  // namespace saccade
