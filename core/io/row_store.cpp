#include "core/io/row_store.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/shallow_json.h"
#include "core/io/half.h"

namespace saccade {

namespace fs = std::filesystem;

// An open file: its head, a digest of 64 bits for each row, and the rows, each behind the other. A
// digest of 0 means that the row is not written yet.
struct RowFile {
  fs::path path;
  FileHandle handle;
  RowFormat format;
  std::vector<std::string> ids;
  std::uint64_t digests_at = 0;        // in bytes from the beginning
  std::vector<std::uint64_t> digests;  // as they were when the file was opened

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(format.width()) * (format.half ? 2 : 4);
  }
  std::uint64_t digest_at(std::size_t row) const { return digests_at + row * sizeof digests[0]; }
  std::uint64_t row_at(std::size_t row) const { return digest_at(ids.size()) + row * row_bytes(); }
};

namespace {

constexpr const char* kRemedy = "; delete the file, and it will be computed again";

// Stands in place of a digest: this id has no row and will not get one.
constexpr std::uint64_t kLeftOut = ~std::uint64_t{0};

// The beginning of a file, before a text in JSON that tells the format and the ids.
constexpr char kMark[16] = "saccade rows 2\n";
struct RowFileHead {
  char mark[sizeof kMark];
  std::uint64_t text_bytes, text_digest;
};

// It depends on the number of the row, so that rows that change places are noticed. It is never 0
// and never kLeftOut.
std::uint64_t row_digest(std::size_t row, std::span<const std::byte> bytes) {
  const std::uint64_t hash = XXH3_64bits_withSeed(bytes.data(), bytes.size(), row);
  return hash == 0 || hash == kLeftOut ? 1 : hash;
}

// Whether the disk has room for a file of this size, and the process may make one.
void check_space(const fs::path& path, std::uint64_t needed) {
  struct statvfs status {};
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::statvfs(folder.c_str(), &status) != 0) throw_io_error("write", path, errno);
  const std::uint64_t free = std::uint64_t{status.f_bavail} * status.f_frsize;
  struct rlimit limit {};
  const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < needed;
  if (free >= needed && !limited) return;
  const auto size = [](std::uint64_t bytes) { return data_size(static_cast<double>(bytes)); };
  throw IoError(str("cannot write ", path.string(), ": it needs ", size(needed), ", ",
                    limited ? "the limit on the size of a file (ulimit -f) is " : "the disk has ",
                    size(limited ? limit.rlim_cur : free),
                    limited ? "; raise the limit" : "; free some space",
                    ", cache elsewhere, or keep 16-bit floats"));
}

// Makes a file for path, format and ids, without rows, of whatever the open file holds.
void lay_out(RowFile& file) {
  const nlohmann::json parts = {{"key", file.format.key},
                                {"shape", file.format.shape},
                                {"half", file.format.half},
                                {"ids", file.ids}};
  std::string text;
  try {
    text = parts.dump();
  } catch (const nlohmann::json::exception&) {  // an id may be a name that JSON cannot hold
    throw DataError(file.path.string() + ": an image's name is not UTF-8; rename the image");
  }
  RowFileHead head{{}, text.size(), XXH3_64bits(text.data(), text.size())};
  std::memcpy(head.mark, kMark, sizeof kMark);
  file.digests_at = sizeof head + text.size();
  file.digests.assign(file.ids.size(), 0);
  const std::uint64_t bytes = file.row_at(file.ids.size());
  const int fd = file.handle.fd();
  if (::ftruncate(fd, 0) != 0) throw_io_error("write", file.path, errno);
  check_space(file.path, bytes);
  // What was never written reads as 0, and so do the digests.
  int error = ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? reserve_space(fd, bytes) : errno;
  if (error == 0) error = write_all_at(fd, std::as_bytes(std::span(&head, 1)), 0);
  if (error == 0) error = write_all_at(fd, std::as_bytes(std::span(text)), sizeof head);
  if (error != 0) throw_io_error("write", file.path, error);
}

// Fills in the parts of the open file; false when it is damaged or not such a file.
bool find_parts(RowFile& file) {
  const int fd = file.handle.fd();
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw_io_error("read", file.path, errno);
  if (!S_ISREG(status.st_mode))
    throw IoError(file.path.string() + ": it is no file, and features are kept in one; remove it");
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  // Within the file, so that an error is one of the disk, and says nothing of the content.
  const auto read = [&](std::span<std::byte> into, std::uint64_t from) {
    if (const int error = read_all_at(fd, into, from)) throw_io_error("read", file.path, error);
  };
  RowFileHead head{};
  if (bytes < sizeof head) return false;
  read(std::as_writable_bytes(std::span(&head, 1)), 0);
  if (std::memcmp(head.mark, kMark, sizeof kMark) != 0) return false;
  if (head.text_bytes > bytes - sizeof head) return false;
  std::string text(head.text_bytes, '\0');
  read(std::as_writable_bytes(std::span(text)), sizeof head);
  if (XXH3_64bits(text.data(), text.size()) != head.text_digest) return false;
  try {
    const auto parts = shallow_json<nlohmann::json>(text);
    parts.at("key").get_to(file.format.key);
    parts.at("shape").get_to(file.format.shape);
    parts.at("half").get_to(file.format.half);
    parts.at("ids").get_to(file.ids);
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  file.digests_at = sizeof head + text.size();
  file.digests.assign(file.ids.size(), 0);
  if (file.row_bytes() == 0 || file.row_at(file.ids.size()) != bytes) return false;
  read(std::as_writable_bytes(std::span(file.digests)), file.digests_at);
  return true;
}

// Reads the bytes of a row and returns whether their digest is right.
bool read_row(const RowFile& file, std::size_t row, std::span<std::byte> bytes) {
  const int error = read_all_at(file.handle.fd(), bytes, file.row_at(row));
  if (error != 0) throw_io_error("read", file.path, error);
  return row_digest(row, bytes) == file.digests[row];
}

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
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (error && error != std::errc::no_such_file_or_directory)
      throw_io_error("read", path, error.value());
    return nullptr;
  }
  try {
    auto older = std::make_unique<RowStore>(path, format.key);
    if (older->format() == format) return older;
    warn(listener, path.string() + ": of another shape or precision; it will be replaced");
  } catch (const DataError& problem) {
    warn(listener, std::string(problem.what()) + " (it will be replaced)");
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

}  // namespace

Index RowFormat::width() const {
  Index count = 1;
  for (const Index extent : shape) {
    if (extent < 1 || __builtin_mul_overflow(count, extent, &count)) return 0;
  }
  return count > (Index{1} << 29) ? 0 : count;
}

RowStore::RowStore(const fs::path& path, const std::string& key)
    : file_(std::make_unique<RowFile>()) {
  // Without O_NONBLOCK, a pipe of this name would be waited for.
  file_->handle = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file_->handle.fd() < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    throw DataError(path.string() + ": no such feature file; compute it first");
  }
  if (file_->handle.fd() < 0) throw_io_error("read", path, errno);
  file_->path = path;
  if (!find_parts(*file_)) throw DataError(path.string() + ": cut, damaged or foreign" + kRemedy);
  if (file_->format.key != key) {
    throw DataError(path.string() + ": made by another encoder or preprocessing (key " +
                    file_->format.key + ", wanted " + key + ")" + kRemedy);
  }
  for (std::size_t i = 0; i < file_->ids.size(); ++i) {
    if (file_->digests[i] == 0) {
      throw DataError(path.string() + ": the row of '" + file_->ids[i] + "' was never written" +
                      kRemedy);
    }
    if (file_->digests[i] == kLeftOut) continue;
    rows_.emplace(file_->ids[i], static_cast<Index>(i));
  }
}

RowStore::~RowStore() = default;

const RowFormat& RowStore::format() const { return file_->format; }
Index RowStore::size() const { return static_cast<Index>(file_->ids.size()); }
const std::vector<std::string>& RowStore::ids() const { return file_->ids; }

Index RowStore::row(const std::string& id) const {
  const auto found = rows_.find(id);
  if (found == rows_.end()) {
    throw DataError(file_->path.string() + ": no row for '" + id +
                    "'; compute the features of this data set first");
  }
  return found->second;
}

void RowStore::read(Index row, std::span<float> values) const {
  SACCADE_ASSERT(row >= 0 && row < size(), "row ", row, " of ", size());
  SACCADE_ASSERT(values.size() == static_cast<std::size_t>(format().width()), "row of ",
                 values.size(), " values, not ", format().width());
  const auto at = static_cast<std::size_t>(row);
  bool whole = false;
  if (format().half) {
    std::vector<std::uint16_t> halves(values.size());
    whole = read_row(*file_, at, std::as_writable_bytes(std::span(halves)));
    floats_from_halves(halves, values);
  } else {
    whole = read_row(*file_, at, std::as_writable_bytes(values));
  }
  if (!whole) {
    throw DataError(file_->path.string() + ": the row of '" + file_->ids[at] +
                    "' is damaged: its digest is wrong" + kRemedy);
  }
}

RowStoreWriter::RowStoreWriter(const fs::path& path, const RowFormat& format,
                               const std::vector<std::string>& ids, const MessageListener& listener)
    : path_(path), file_(std::make_unique<RowFile>()) {
  SACCADE_ASSERT(format.width() > 0, "rows of a shape without elements, or too large");
  const FileSizeSignalGuard guard;
  file_->path = path.string() + ".part";
  file_->handle = open_locked(file_->path, listener);
  const std::unique_ptr<RowStore> older = open_older(path, format, listener);
  const std::vector<std::string> all = unite(older.get(), ids);
  if (all.empty()) {
    ::unlink(file_->path.c_str());
    throw DataError(path.string() + ": no images to compute features of");
  }
  const bool resumed = find_parts(*file_) && file_->format == format && file_->ids == all;
  if (!resumed) {
    file_->format = format;
    file_->ids = all;
    try {
      lay_out(*file_);
    } catch (...) {
      ::unlink(file_->path.c_str());
      throw;
    }
  }

  for (std::size_t i = 0; i < all.size(); ++i) rows_.emplace(all[i], static_cast<Index>(i));
  present_.assign(all.size(), 0);
  std::vector<std::byte> bytes(file_->row_bytes());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (file_->digests[i] != 0) present_[i] = read_row(*file_, i, bytes) ? 1 : 0;
  }
  if (!older) return;
  // Rows are copied as bytes: nothing is converted, so nothing is rounded.
  for (std::size_t i = 0; i < older->ids().size(); ++i) {
    const std::size_t row = index(older->ids()[i]);
    if (present_[row] == 0 && read_row(*older->file_, i, bytes)) write_bytes(row, bytes);
  }
}

RowStoreWriter::~RowStoreWriter() = default;

void RowStoreWriter::write_bytes(std::size_t row, std::span<const std::byte> bytes) {
  const FileSizeSignalGuard guard;
  const int error = write_all_at(file_->handle.fd(), bytes, file_->row_at(row));
  if (error != 0) throw_io_error("write", file_->path, error);
  write_digest(row, row_digest(row, bytes));
}

void RowStoreWriter::write_digest(std::size_t row, std::uint64_t digest) {
  const FileSizeSignalGuard guard;
  const int error =
      write_all_at(file_->handle.fd(), std::as_bytes(std::span(&digest, 1)), file_->digest_at(row));
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
