// The peak memory of this process.
#pragma once

#include <cstdint>

namespace saccade {

// The largest resident size in bytes since the start, or since the last reset.
std::int64_t peak_memory_bytes();

// Returns free memory to the system and starts a new peak, where the system can do so (Linux).
// Elsewhere the peak stays that of the whole process.
void reset_peak_memory();

}  // namespace saccade
