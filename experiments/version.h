// What this program was built from and for.
#pragma once

#include <string>

namespace saccade {

// "0.1.0"
std::string version_number();

// The vector instructions the compiler was allowed to use: "AVX-512", "AVX2", "SSE2", "NEON", ...
std::string simd_level();

// Version, compiler, SIMD level, libraries, a line each; for `saccade --version`.
std::string version_text();

// The same as one JSON object.
std::string version_json();

}  // namespace saccade
