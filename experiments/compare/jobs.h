// Runs of this program beside each other, each a process of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/stop_signal.h"

namespace saccade {

struct Job {
  std::string label;                   // for people
  std::vector<std::string> arguments;  // of the program, without its name
  std::filesystem::path log;           // what it prints; removed when it ends well
};

// Runs all, `most` at a time, and says on stderr when each starts and how it ends; one that fails
// stops no other. After a signal none is started, those that run are asked to stop, and all have
// ended when this returns; they end with this process too. Throws IoError where no process can be
// started.
void run_jobs(const std::vector<Job>& jobs, std::size_t most, const StopSignal& signal);

}  // namespace saccade
