// The end of a process whose memory ran out inside of a library.
#pragma once

namespace saccade {

// Exceptions tell of memory that runs out, except where a library crashes instead, or meets it on
// a thread where nothing catches the exception. After this call such an end is told like all
// others: with a line on stderr and the exit code of ExitCode::kMemory. Crashes for other reasons,
// while memory is left, end the process as before. For the whole process; called once.
void tell_when_memory_ends();

// Whether so little address space is left below the limit of the process that an error of a library
// comes from that: some report memory or threads that they do not get as errors of other kinds.
bool memory_is_short();

}  // namespace saccade
