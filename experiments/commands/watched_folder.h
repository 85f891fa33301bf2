// Watches a folder for pictures by listing it again and again. This works on every file system,
// network shares included, for which the kernel reports no changes.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "vision/images/image.h"

namespace saccade {

class WatchedFolder {
 public:
  // Pictures of more than `max_pixels` are reported. Throws UsageError where it is no folder.
  WatchedFolder(std::filesystem::path folder, Index max_pixels);

  // Passes every new or replaced picture to `take`, in the order of names. A picture is a file with
  // the extension of a JPEG, PNG, BMP, WebP or TIFF file and a name that does not begin with a dot.
  // It is passed on once it has not changed between two calls and can be decoded. A file that
  // cannot be decoded may still be incomplete: once it has not changed for two seconds it is
  // reported on stderr, once, and it is tried again if it changes. Pictures of kinds that are not
  // read, such as HEIC, are reported once. Stops between pictures when
  // `stop` is not 0. Throws IoError where the folder cannot be listed.
  void poll(const std::function<void(const std::string& path, Image& picture)>& take,
            const std::atomic<int>& stop);

  // Pauses between two calls of poll().
  static void rest();

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type written{};
    Clock::time_point since{};  // when it was first seen like this
    bool done = false;          // passed on, or reported
  };

  // The pictures that are in the folder now, by path.
  std::map<std::string, Seen> list();

  std::filesystem::path folder_;
  Index max_pixels_;
  std::map<std::string, Seen> seen_;
  std::set<std::string> unread_;  // pictures of other kinds, which were reported
};

}  // namespace saccade
