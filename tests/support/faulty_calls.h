// Makes system calls fail, as a file system without locks or a broken disk does. In the test
// program that links it, its functions stand in the place of the system's.
#pragma once

namespace saccade::test {

// While it lives, flock() fails with this number of an error.
class FailingLocks {
 public:
  explicit FailingLocks(int error);
  ~FailingLocks();
  FailingLocks(const FailingLocks&) = delete;
  FailingLocks& operator=(const FailingLocks&) = delete;
};

// While it lives, reading a directory fails after this number of entries, `.` and `..` included.
class FailingFolders {
 public:
  explicit FailingFolders(int entries);
  ~FailingFolders();
  FailingFolders(const FailingFolders&) = delete;
  FailingFolders& operator=(const FailingFolders&) = delete;
};

}  // namespace saccade::test
