// The program `saccade` is small. The full program has all commands, and lies in a file of its own.
#pragma once

namespace saccade {

// Becomes the full program, in the same process. It is libexec/saccade/saccade beside this program
// (in a build) or in the folder above (installed). Throws IoError where it is missing or does not
// start.
[[noreturn]] void become_full_program(char** arguments);

}  // namespace saccade
