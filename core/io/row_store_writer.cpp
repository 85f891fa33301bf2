#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>

#include "core/base/error.h"
#include "core/io/half.h"
#include "core/io/row_file.h"
#include "core/io/row_store.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

fs::path part_of(const fs::path& path) { return path.string() + ".part"; }

// Opens the growing file and locks it for as long as the handle lives.
FileHandle open_locked(const fs::path& part, const MessageListener& listener) {
  for (;;) {
    FileHandle handle(::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (handle.fd() < 0) throw_io_error("write", part, errno);
    const Lock lock = try_lock(handle.fd(), LockKind::kAlone, part, listener);
    if (lock == Lock::kHeldByAnother)
      throw BusyError(part.string() + ": another process is filling it; wait until it is done");
    struct stat ours {};
    struct stat named {};
    const bool same = ::fstat(handle.fd(), &ours) == 0 && ::stat(part.c_str(), &named) == 0 &&
                      ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
    if (same) return handle;  // otherwise it was completed between open and lock: try again
  }
}

// The older store, if there is an undamaged one of this format.
std::unique_ptr<RowStore> open_older(const fs::path& path, const RowFormat& format,
                                     const MessageListener& listener) {
  if (!fs::exists(path)) return nullptr;
  try {
    auto older = std::make_unique<RowStore>(path, format.key);
    if (older->format() == format) return older;
    warn(listener, path.string() + ": of another shape or precision; it will be replaced");
  } catch (const DataError& error) {
    warn(listener, std::string(error.what()) + " (it will be replaced)");
  }
  return nullptr;
}

std::vector<std::string> unite(const RowStore* older, const std::vector<std::string>& ids) {
  std::vector<std::string> all;
  std::unordered_map<std::string, bool> seen;
  const auto add = [&](const std::string& id) {
    SACCADE_ASSERT(!id.empty() && id.find('\0') == std::string::npos, "row id '", id, "'");
    if (seen.emplace(id, true).second) all.push_back(id);
  };
  if (older != nullptr) {
    for (const std::string& id : older->ids()) add(id);
  }
  for (const std::string& id : ids) add(id);
  return all;
}

// Lays out a new file under the lock that `file` holds, and removes it when that fails.
void start_afresh(const fs::path& part, const RowFormat& format,
                  const std::vector<std::string>& ids, RowFile& file) {
  FileHandle lock = std::move(file.handle);
  file = RowFile{};
  file.path = part;
  file.handle = std::move(lock);
  file.format = format;
  file.ids = ids;
  try {
    create_row_file(file);
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
}

}  // namespace

RowStoreWriter::RowStoreWriter(const fs::path& path, const RowFormat& format,
                               const std::vector<std::string>& ids, const MessageListener& listener)
    : path_(path), file_(std::make_unique<RowFile>()) {
  SACCADE_ASSERT(format.width() > 0, "rows of a shape without elements, or too large");
  const FileSizeSignalGuard guard;
  const fs::path part = part_of(path);
  file_->handle = open_locked(part, listener);
  const std::unique_ptr<RowStore> older = open_older(path, format, listener);
  const std::vector<std::string> all = unite(older.get(), ids);
  if (all.empty()) {
    ::unlink(part.c_str());
    throw DataError(path.string() + ": no images to compute features of");
  }
  file_->path = part;
  const bool resumed = find_parts(*file_) && file_->format == format && file_->ids == all;
  if (!resumed) start_afresh(part, format, all, *file_);

  for (std::size_t i = 0; i < all.size(); ++i) rows_.emplace(all[i], static_cast<Index>(i));
  present_.assign(all.size(), 0);
  std::vector<std::byte> bytes(file_->row_bytes());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (file_->digests[i] != 0) present_[i] = read_row(*file_, i, bytes) ? 1 : 0;
  }
  if (older) take_over(path);
}

RowStoreWriter::~RowStoreWriter() = default;

// Copies rows as bytes: nothing is converted, so nothing is rounded.
void RowStoreWriter::take_over(const fs::path& older_path) {
  RowFile older;
  older.handle = FileHandle(::open(older_path.c_str(), O_RDONLY | O_CLOEXEC));
  older.path = older_path;
  if (older.handle.fd() < 0 || !find_parts(older)) return;
  std::vector<std::byte> bytes(file_->row_bytes());
  for (std::size_t i = 0; i < older.ids.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows_.at(older.ids[i]));
    if (present_[row] == 0 && read_row(older, i, bytes)) write_bytes(row, bytes);
  }
}

void RowStoreWriter::write_bytes(std::size_t row, std::span<const std::byte> bytes) {
  const FileSizeSignalGuard guard;
  const int error = write_all_at(file_->handle.fd(), bytes, file_->offsets[row]);
  if (error != 0) throw_io_error("write", file_->path, error);
  write_digest(row, row_digest(row, bytes));
}

void RowStoreWriter::write_digest(std::size_t row, std::uint64_t digest) {
  const FileSizeSignalGuard guard;
  const int error = write_all_at(file_->handle.fd(), std::as_bytes(std::span(&digest, 1)),
                                 file_->digests_offset + row * sizeof digest);
  if (error != 0) throw_io_error("write", file_->path, error);
  const std::lock_guard lock(mutex_);
  present_[row] = 1;
}

std::size_t RowStoreWriter::index(const std::string& id) const {
  const auto found = rows_.find(id);
  SACCADE_ASSERT(found != rows_.end(), "no row for '", id, "'");
  return static_cast<std::size_t>(found->second);
}

void RowStoreWriter::leave_out(const std::string& id) { write_digest(index(id), kLeftOut); }

std::vector<std::string> RowStoreWriter::missing() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < present_.size(); ++i) {
    if (present_[i] == 0) ids.push_back(file_->ids[i]);
  }
  return ids;
}

void RowStoreWriter::write(const std::string& id, std::span<const float> values) {
  const std::size_t row = index(id);
  SACCADE_ASSERT(values.size() == static_cast<std::size_t>(file_->format.width()), "row of ",
                 values.size(), " values, not ", file_->format.width());
  for (const float value : values) {
    if (!std::isfinite(value)) {
      throw DataError("'" + id +
                      "': the encoder gave a value that is not finite; check the model "
                      "file and the image");
    }
    if (file_->format.half && std::abs(value) >= 65520.0F) {
      throw DataError("'" + id +
                      "': a feature does not fit into 16 bits; set encoder.half to "
                      "false");
    }
  }
  if (!file_->format.half) return write_bytes(row, std::as_bytes(values));
  std::vector<std::uint16_t> halves(values.size());
  halves_from_floats(values, halves);
  write_bytes(row, std::as_bytes(std::span(halves)));
}

void RowStoreWriter::finish() {
  const std::vector<std::string> left = missing();
  SACCADE_ASSERT(left.empty(), left.size(), " rows were not written, the first is '",
                 left.empty() ? "" : left.front(), "'");
  if (const int error = sync_file(file_->handle.fd())) throw_io_error("sync", file_->path, error);
  if (::rename(file_->path.c_str(), path_.c_str()) != 0) throw_io_error("write", path_, errno);
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  if (const int error = sync_directory(folder)) throw_io_error("sync", path_, error);
}

}  // namespace saccade
