#include "core/io/row_store.h"

#include <fcntl.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/io/half.h"
#include "core/io/row_file.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRemedy = "; delete the file, and it will be computed again";

}  // namespace

RowStore::RowStore(const fs::path& path, const std::string& key)
    : file_(std::make_unique<RowFile>()) {
  file_->handle = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

}  // namespace saccade
