// Runs several processes of this program at the same time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/process/stop_signal.h"

namespace saccade {

struct Job {
  std::string label;                   // its name in messages
  std::vector<std::string> arguments;  // of the program, without the program's name
  std::filesystem::path log;           // takes its output; removed when it succeeds
};

// Runs all jobs, at most `most` at a time, and reports on stderr when each starts and how it ends.
// A job that fails does not stop the others. After a signal no further job is started and the
// running ones are asked to stop. All have ended when this function returns, and they also end when
// this process dies. Throws IoError where no process can be started.
void run_jobs(const std::vector<Job>& jobs, std::size_t most, const StopSignal& signal);

}  // namespace saccade
