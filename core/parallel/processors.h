// How many processors this process may use.
#pragma once

#include <filesystem>

namespace saccade::parallel {

// The processors that the CPU quota of this process's control group amounts to, rounded up: 2 for
// 150 ms in every 100 ms. 0: no quota. Both versions of control groups are read, and of nested
// groups the smallest quota counts. `root` is where /proc and the file systems of the control
// groups are found. What cannot be read counts as no quota.
int quota_processors(const std::filesystem::path& root = "/");

// The processors that threads of this process may run on, but no more than its quota, and at
// least 1. More threads than that would only be stopped in turn.
int usable_processors();

}  // namespace saccade::parallel
