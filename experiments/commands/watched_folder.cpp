#include "experiments/commands/watched_folder.h"

#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/picture_names.h"
#include "core/base/plain_text.h"
#include "experiments/process/log.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kRest{200};
constexpr std::chrono::seconds kPatience{2};  // before an undecodable file is reported

}  // namespace

WatchedFolder::WatchedFolder(fs::path folder, Index max_pixels)
    : folder_(std::move(folder)), max_pixels_(max_pixels) {
  std::error_code error;
  if (!fs::is_directory(folder_, error))
    throw UsageError("--watch: " + folder_.string() +
                     ": is not a folder; name a folder that exists");
}

std::map<std::string, WatchedFolder::Seen> WatchedFolder::list() {
  std::map<std::string, Seen> out;
  std::error_code error;
  fs::directory_iterator entry(folder_, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (named_as_unread_picture(entry->path()) && unread_.insert(entry->path().string()).second)
      log::error(plain_text(entry->path().string() +
                            ": pictures of this kind are not read; convert it to JPEG or PNG"));
    if (!named_as_picture(entry->path())) continue;
    // A file may be removed while it is examined.
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    const Seen now{.size = entry->file_size(gone),
                   .written = entry->last_write_time(gone),
                   .since = Clock::now()};
    if (!gone) out.emplace(entry->path().string(), now);
  }
  if (error)
    throw IoError(str(folder_.string(), ": cannot be listed: ", error.message(),
                      "; check that the folder still exists"));
  return out;
}

void WatchedFolder::poll(const std::function<void(const std::string&, Image&)>& take,
                         const std::atomic<int>& stop) {
  std::map<std::string, Seen> now = list();
  std::vector<std::string> whole;
  for (auto& [path, file] : now) {
    const auto before = seen_.find(path);
    if (before == seen_.end() || before->second.size != file.size ||
        before->second.written != file.written)
      continue;
    file = before->second;
    if (!file.done) whole.push_back(path);
  }
  seen_ = std::move(now);
  for (const std::string& path : whole) {
    if (stop != 0) return;
    Seen& file = seen_.at(path);
    Image picture;
    try {
      picture = read_image(
          path, [](Severity, const std::string& text) { log::warn(plain_text(text)); },
          max_pixels_);
    } catch (const Error& error) {
      if (Clock::now() - file.since < kPatience) continue;
      log::error(plain_text(error.what()));
      file.done = true;
      continue;
    }
    file.done = true;
    take(path, picture);
  }
}

void WatchedFolder::rest() { std::this_thread::sleep_for(kRest); }

}  // namespace saccade
