// How much memory this process took at most.
#pragma once

#include <cstdint>

namespace saccade {

// The largest resident size in bytes since the start, or since the last reset.
std::int64_t peak_memory_bytes();

// Gives free memory back and starts a new peak, where the system can (Linux); else the peak stays
// that of the whole process.
void reset_peak_memory();

}  // namespace saccade
