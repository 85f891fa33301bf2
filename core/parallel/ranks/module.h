// Where the module that uses MPI lies, seen from the program or a folder above it, and its entry.
#pragma once

namespace saccade::parallel {

inline constexpr const char* kRanksModule = "lib/saccade/libsaccade-ranks.so";
// A function without arguments that starts MPI and returns a new Ranks.
inline constexpr const char* kOpenRanks = "saccade_open_ranks";

}  // namespace saccade::parallel
