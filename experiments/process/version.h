// The version of this program, and what it was built with.
#pragma once

#include <string>

namespace saccade {

// "0.1.0"
std::string version_number();

// The vector instructions that the compiler may use: "AVX-512", "AVX2", "SSE2", "NEON", ...
std::string simd_level();

// Version, compiler, SIMD level and libraries, one line for each; for `saccade --version`.
std::string version_text();

// The same as one JSON object.
std::string version_json();

}  // namespace saccade
