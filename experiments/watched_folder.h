// A folder in which pictures appear, polled again and again: that works on every file system, also
// on network shares, whose changes no kernel reports.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "vision/image.h"

namespace saccade {

class WatchedFolder {
 public:
  // Throws UsageError where it is no folder.
  explicit WatchedFolder(std::filesystem::path folder);

  // Passes to `take`, by name, every picture that was not passed yet, or was replaced since: a file
  // whose name ends as pictures' do (JPEG, PNG, BMP, WebP, TIFF) and does not begin with a dot,
  // that did not change between two polls and can be decoded. One that cannot may still be on its
  // way; it is named on stderr, once, when it has not changed for two seconds, and tried again if
  // it changes. Stops between pictures when `stop` is not 0. Throws IoError where the folder cannot
  // be listed.
  void poll(const std::function<void(const std::string& path, Image& picture)>& take,
            const std::atomic<int>& stop);

  // A pause between two polls.
  static void rest();

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type written{};
    Clock::time_point since{};  // when it was first seen like this
    bool done = false;          // passed, or reported
  };

  // What is in the folder now, by name; what is gone is forgotten.
  std::map<std::string, Seen> list() const;

  std::filesystem::path folder_;
  std::map<std::string, Seen> seen_;
};

}  // namespace saccade
