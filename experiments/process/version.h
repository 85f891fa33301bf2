// The version of this program, and what it was built with.
#pragma once

#include <string>

namespace saccade {

// "0.1.0"
std::string version_number();

// The vector instructions that the compiler may use: "AVX-512", "AVX2", "SSE2", "NEON", ...
std::string simd_level();

// The commit that the program was built from ("" outside a repository), and whether files of it
// were changed before.
struct SourceState {
  std::string commit;
  bool changed = false;
};
SourceState source_state();

// The digest of the file of this program, which tells two builds apart; "" where it cannot be read.
std::string program_digest();

// Version, compiler, SIMD level and libraries, one line for each; for `saccade --version`.
std::string version_text();

// The same as one JSON object.
std::string version_json();

}  // namespace saccade
