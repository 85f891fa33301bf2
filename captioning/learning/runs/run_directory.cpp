#include "captioning/learning/runs/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <set>

#include "captioning/model/published/json_file.h"
#include "captioning/model/published/published_captioner.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "core/io/checkpoint.h"
#include "core/io/tensor_files.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLock = "lock";
constexpr const char* kLast = "last";
constexpr const char* kManifest = "manifest.json";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kComparison = "compare.json";
constexpr std::string_view kBest = "best-";

struct Step {
  Index update = 0;
  fs::path path;
};

std::string step_name(Index update) {
  std::string digits = std::to_string(update);
  digits.insert(0, digits.size() < 8 ? 8 - digits.size() : 0, '0');
  return "step-" + digits + ".h5";
}

// The checkpoints of a folder, the newest first.
std::vector<Step> steps_in(const fs::path& folder) {
  std::vector<Step> steps;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with("step-") || !name.ends_with(".h5")) continue;
    const char *begin = name.data() + 5, *stop = name.data() + name.size() - 3;
    Index update = 0;
    const auto [rest, code] = std::from_chars(begin, stop, update);
    if (code == std::errc{} && rest == stop) steps.push_back({update, it->path()});
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.update > b.update; });
  return steps;
}

// Whether a file is a lock that take_lock() wrote: it holds a process number, or nothing yet.
bool is_own_lock(const fs::path& lock) {
  std::error_code error;
  if (!fs::is_regular_file(lock, error)) return false;
  std::ifstream in(lock);
  std::string text;
  std::getline(in, text);
  return in.peek() == std::ifstream::traits_type::eof() && text.size() <= 20 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

template <class Is>
bool any_folder(const fs::path& directory, const Is& is) {
  std::error_code error, unreadable;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(unreadable) && is(it->path())) return true;
  return false;
}

bool holds_run(const fs::path& directory) {
  std::error_code error;
  return fs::exists(directory / kManifest, error) || fs::exists(directory / kCheckpoints, error) ||
         is_own_lock(directory / kLock);
}

// Whether a directory has the runs of a comparison: ARM/seed-N, or ARM/tune/TRIAL/seed-N. It may
// lack all other files of one that was never finished, or was copied without them.
bool holds_arms(const fs::path& directory) {
  const auto holds_seeds = [](const fs::path& arm) {
    return any_folder(arm, [](const fs::path& run) {
      return run.filename().string().starts_with("seed-") && holds_run(run);
    });
  };
  return any_folder(directory, [&](const fs::path& arm) {
    return holds_seeds(arm) || any_folder(arm / "tune", holds_seeds);
  });
}

std::string holder(const fs::path& lock) {
  std::ifstream in(lock);
  long pid = 0;
  return in >> pid ? " (process " + std::to_string(pid) + ")" : "";
}

}  // namespace

bool is_held(const fs::path& directory) {
  // A shared lock, so that two processes that only read do not take each other for a trainer.
  const FileHandle lock(::open((directory / kLock).c_str(), O_RDONLY | O_CLOEXEC));
  return lock.fd() >= 0 &&
         try_lock(lock.fd(), LockKind::kShared, directory / kLock) == Lock::kHeldByAnother;
}

fs::path checkpoint_folder(const fs::path& run) { return run / kCheckpoints; }

RunDirectory::RunDirectory(fs::path path, Mode mode, const MessageListener& listener)
    : path_(std::move(path)) {
  std::error_code error;
  made_ = !fs::exists(path_, error);
  make_folders(path_);
  refuse_foreign();
  take_lock(listener);
  if (mode == Mode::kNew) refuse_content();
  remove_stale_temporaries(path_);
  remove_stale_temporaries(checkpoint_folder(path_));
}

RunDirectory::~RunDirectory() {
  std::error_code error;
  int entries = 0;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error))
    ++entries;
  if (error || entries != 1) return;
  fs::remove(path_ / kLock, error);
  if (made_) fs::remove(path_, error);
}

void RunDirectory::take_lock(const MessageListener& listener) {
  const fs::path lock = path_ / kLock;
  while (true) {
    lock_ = FileHandle(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (lock_.fd() < 0) throw_io_error("write", lock, errno);
    if (try_lock(lock_.fd(), LockKind::kAlone, lock, listener) == Lock::kHeldByAnother) {
      made_ = false;
      throw BusyError(path_.string() + ": another saccade is training here" + holder(lock) +
                      "; wait until it ends, or choose another directory");
    }
    // The process that held the lock before may have removed the file that was opened here.
    struct stat held {
    }, named{};
    if (::fstat(lock_.fd(), &held) == 0 && ::stat(lock.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino)
      break;
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  int failed = ::ftruncate(lock_.fd(), 0) == 0 ? 0 : errno;
  if (failed == 0) failed = write_all(lock_.fd(), std::as_bytes(std::span(pid)));
  if (failed != 0) throw_io_error("write", lock, failed);
}

// Called before the lock is written: nothing may change in a directory of other files.
void RunDirectory::refuse_foreign() const {
  std::error_code error;
  if (fs::is_empty(path_, error) || error || holds_run(path_) ||
      fs::exists(path_ / kComparison, error) || holds_arms(path_))
    return;
  throw BusyError(path_.string() +
                  ": exists and holds files that are not of a run or a comparison; choose another "
                  "directory");
}

void RunDirectory::refuse_content() const {
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() == kLock) continue;
    throw BusyError(path_.string() +
                    ": exists and is not empty; continue the run in it (the option resume), or "
                    "choose another directory");
  }
}

bool RunDirectory::has_run() const {
  std::error_code error;
  return fs::exists(path_ / kManifest, error);
}

std::optional<Archive> RunDirectory::newest_checkpoint(const MessageListener& listener) const {
  const fs::path folder = checkpoint_folder(path_);
  const std::vector<Step> steps = steps_in(folder);
  std::error_code error;
  const fs::path last = fs::read_symlink(folder / kLast, error);
  if (!error && !fs::exists(folder / last, error))
    warn(listener, (folder / kLast).string() + ": points to " + last.string() +
                       ", which does not exist any more");
  std::string first_problem;
  for (const Step& step : steps) {
    try {
      Archive archive = load_archive(step.path);
      if (!first_problem.empty())
        warn(listener, "falling back to " + step.path.string() + ", an older checkpoint");
      return archive;
    } catch (const FormatVersionError&) {
      throw;  // it is whole: going on from an older one would lose it
    } catch (const CheckpointError& problem) {
      warn(listener, problem.what());
      if (first_problem.empty()) first_problem = problem.what();
    }
  }
  if (!first_problem.empty())
    throw CheckpointError(folder.string() + ": none of the " + std::to_string(steps.size()) +
                          " checkpoints can be read; the newest: " + first_problem);
  return std::nullopt;
}

fs::path RunDirectory::save_checkpoint(const Archive& archive, Index update, Index keep) {
  const fs::path folder = checkpoint_folder(path_);
  make_folders(folder);
  const fs::path file = folder / step_name(update);
  save_archive(file, archive);
  mark_last(file, keep);
  return file;
}

void RunDirectory::mark_last(const fs::path& checkpoint, Index keep) {
  std::error_code error;
  const fs::path target = fs::read_symlink(checkpoint_folder(path_) / kLast, error);
  if (error || target.filename() != checkpoint.filename()) point(kLast, checkpoint);
  remove_old_checkpoints(keep);
}

void RunDirectory::mark_best(const std::string& metric, const fs::path& checkpoint) {
  point(std::string(kBest) + metric, checkpoint);
}

void RunDirectory::point(const std::string& link, const fs::path& checkpoint) {
  const fs::path folder = checkpoint_folder(path_);
  const fs::path place = folder / link;
  const fs::path temporary = place.string() + ".tmp." + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  int error = ::symlink(checkpoint.filename().c_str(), temporary.c_str()) == 0 ? 0 : errno;
  if (error == 0 && ::rename(temporary.c_str(), place.c_str()) != 0) error = errno;
  if (error == 0) error = sync_directory(folder);
  if (error != 0) {
    ::unlink(temporary.c_str());
    throw_io_error("link", place, error);
  }
}

void RunDirectory::remove_old_checkpoints(Index keep) const {
  const fs::path folder = checkpoint_folder(path_);
  std::set<std::string> linked;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unreadable;
    const fs::path target = fs::read_symlink(it->path(), unreadable);
    if (!unreadable) linked.insert(target.filename().string());
  }
  const std::vector<Step> steps = steps_in(folder);
  for (std::size_t i = static_cast<std::size_t>(keep); i < steps.size(); ++i) {
    if (!linked.contains(steps[i].path.filename().string())) fs::remove(steps[i].path, error);
  }
}

void RunDirectory::write_text(const std::string& name, const std::string& text) {
  write_file(path_ / name, text);
}

namespace {

// The directories of runs below one that is none itself, such as a comparison's, sorted.
std::vector<std::string> runs_below(const fs::path& directory) {
  constexpr int kDeepest = 3;
  std::vector<std::string> out;
  std::error_code error, unreadable;
  fs::recursive_directory_iterator it(directory, fs::directory_options::skip_permission_denied,
                                      error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (!it->is_directory(unreadable) || it.depth() >= kDeepest) it.disable_recursion_pending();
    if (!fs::exists(checkpoint_folder(it->path()) / kLast, unreadable)) continue;
    out.push_back(it->path().string());
    it.disable_recursion_pending();
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Why a folder with this config.json is no captioner.
std::string why_not_published(const fs::path& file) try {
  const std::string known = "of a captioner that saccade reads (BLIP, GIT, ViT with GPT-2)";
  const auto config = JsonFile::read(file);
  const auto type = config ? config->get<std::string>("model_type", "") : "";
  if (type.empty()) return "has no model_type, and so is not that " + known;
  const auto classes = config->get<std::vector<std::string>>("architectures", {});
  return str("is that of ", classes.empty() ? "a model" : plain_text(classes[0]), " (model_type ",
             plain_text(type), "), and not ", known);
} catch (const DataError&) {
  return "is damaged; copy it again";
}

}  // namespace

fs::path resolve_checkpoint(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error) || is_published_captioner(path)) return path;
  const fs::path folder = checkpoint_folder(path);
  std::vector<fs::path> best;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(kBest) && name.find(".tmp.") == std::string::npos)
      best.push_back(it->path());
  }
  if (best.size() == 1) return best[0];
  if (fs::exists(folder / kLast, error)) return folder / kLast;
  const std::vector<std::string> runs = runs_below(path);
  if (!runs.empty())
    throw CheckpointError(str(path.string(), ": this directory holds ",
                              counted(static_cast<Index>(runs.size()), "run"), "; name ",
                              runs.size() == 1 ? "it: " : "one of them: ", first_names(runs)));
  if (fs::exists(path / kComparison, error))
    throw CheckpointError(
        path.string() +
        ": this directory holds a comparison of runs that lie elsewhere; name one "
        "of the directories in its compare.json");
  if (const fs::path published = path / "config.json"; fs::exists(published, error))
    throw CheckpointError(str(published.string(), ": ", why_not_published(published),
                              "; the folder of an encoder is for encoder.weights"));
  if (const std::string advice = snapshot_advice(path); !advice.empty())
    throw CheckpointError(path.string() + ": " + advice);
  throw CheckpointError(path.string() +
                        ": this directory has no checkpoints/last, so it is not a run's, and no "
                        "config.json, so it is not a published captioner's; name a checkpoint file "
                        "or the directory of a run");
}

bool same_checkpoint(const fs::path& one, const fs::path& other) {
  std::error_code error;  // a missing file is reported where it is read
  return fs::equivalent(resolve_checkpoint(one), resolve_checkpoint(other), error);
}

}  // namespace saccade
