// The directory of a training run: its lock, its checkpoints with the links `last` and
// `best-<metric>`, and the files that record the run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/messages.h"
#include "core/io/archive.h"

namespace saccade {

class RunDirectory {
 public:
  enum class Mode { kNew, kResume };

  // Takes the directory and holds its lock while this object lives. kNew creates the directory and
  // refuses one with files in it; kResume also takes the directory of a run or of a comparison,
  // which is known by its runs (ARM/seed-N), as it is. Throws BusyError where the directory has
  // (other) files or another process holds it, and IoError where it cannot be written. Where the
  // file system has no locks, the listener receives a warning.
  RunDirectory(std::filesystem::path path, Mode mode, const MessageListener& listener = {});
  // Removes the directory again if this object created it and nothing was put into it.
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Whether a run was started here before.
  bool has_run() const;

  // The newest checkpoint that can be read; empty where there is none. The listener receives a
  // message about each newer one that is damaged. Throws CheckpointError where all are.
  std::optional<Archive> newest_checkpoint(const MessageListener& listener = {}) const;

  // Writes checkpoints/step-<update>.h5, points `last` to it, and removes old checkpoints: the
  // newest `keep` stay, and those to which a link points. Returns the path. Throws IoError.
  std::filesystem::path save_checkpoint(const Archive& archive, Index update, Index keep);
  // Points `last` to the newest checkpoint and removes old ones, as save_checkpoint() does: the
  // disk may have failed behind the checkpoint.
  void mark_last(const std::filesystem::path& checkpoint, Index keep);
  // Points the link best-<metric> to a checkpoint.
  void mark_best(const std::string& metric, const std::filesystem::path& checkpoint);

  // Replaces a text file of the directory, whole or not at all.
  void write_text(const std::string& name, const std::string& text);

 private:
  void take_lock(const MessageListener& listener);
  void refuse_foreign() const;
  void refuse_content() const;
  void point(const std::string& link, const std::filesystem::path& checkpoint);
  void remove_old_checkpoints(Index keep) const;

  std::filesystem::path path_;
  bool made_ = false;  // by this object
  FileHandle lock_;
};

// Whether a process holds the lock of a directory at this moment.
bool is_held(const std::filesystem::path& directory);

// The folder of a run's checkpoints.
std::filesystem::path checkpoint_folder(const std::filesystem::path& run);

// The checkpoint that a path stands for: a file and the folder of a published captioner stand for
// themselves; a run directory for
// best-<metric> where there is exactly one such link, else for `last`. Throws CheckpointError where
// there is neither; of a directory that holds runs, such as a comparison's, it names the first.
std::filesystem::path resolve_checkpoint(const std::filesystem::path& path);

// Whether two such paths stand for the same file. Throws CheckpointError as resolve_checkpoint()
// does.
bool same_checkpoint(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace saccade
