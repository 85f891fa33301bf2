#include "captioning/scoring/metrics/meteor/wordnet/builtin_table.h"

// The assembler copies the file into the library, so there is no install step and no path to find
// at run time. SACCADE_SYNSETS is the file's path, which CMake sets.
asm(".section .rodata\n"
    "saccade_synsets_begin:\n"
    ".incbin \"" SACCADE_SYNSETS
    "\"\n"
    "saccade_synsets_end:\n"
    ".byte 0\n"
    ".previous\n");

extern const char kSynsetsBegin[] asm("saccade_synsets_begin");
extern const char kSynsetsEnd[] asm("saccade_synsets_end");

namespace saccade::meteor {

std::string_view builtin_table() {
  return {kSynsetsBegin, static_cast<std::size_t>(kSynsetsEnd - kSynsetsBegin)};
}

}  // namespace saccade::meteor
