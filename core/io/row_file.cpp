#include "core/io/row_file.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/io/hdf5_handle.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kVersion = 1;
constexpr int kMostRank = 5;
constexpr std::uint64_t kLayoutBytesARow = 256;  // index, id and digest, roughly

H5Id element_type(bool half) {
  H5Id type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  if (half) {
    H5Tset_fields(type.get(), 15, 10, 5, 0, 10);
    H5Tset_size(type.get(), 2);
    H5Tset_ebias(type.get(), 15);
  }
  return type;
}

H5Id text_type(std::size_t length) {
  H5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(length, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// Of everything but the rows: a damaged id must not go unnoticed.
std::string layout_digest(const RowFormat& format, const std::vector<std::string>& ids) {
  Digest digest;
  digest.add(format.key);
  digest.add(format.half ? "half" : "float");
  for (const Index extent : format.shape) digest.add(std::to_string(extent));
  for (const std::string& id : ids) digest.add(id);
  return digest.hex();
}

bool write_attribute(hid_t file, const char* name, hid_t type, hid_t space, const void* value) {
  const H5Id attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type, value) >= 0;
}

bool write_attributes(hid_t file, const RowFormat& format, const std::vector<std::string>& ids) {
  const H5Id scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const auto text = [&](const char* name, const std::string& value) {
    const H5Id type = text_type(value.size());
    return write_attribute(file, name, type.get(), scalar.get(), value.c_str());
  };
  const hsize_t rank = format.shape.size();
  const H5Id shape(H5Screate_simple(1, &rank, nullptr), H5Sclose);
  return write_attribute(file, "version", H5T_STD_U64LE, scalar.get(), &kVersion) &&
         text("key", format.key) && text("layout_digest", layout_digest(format, ids)) &&
         write_attribute(file, "shape", H5T_STD_I64LE, shape.get(), format.shape.data());
}

bool write_ids(hid_t file, const std::vector<std::string>& ids) {
  std::size_t longest = 1;
  for (const std::string& id : ids) longest = std::max(longest, id.size());
  std::string padded(longest * ids.size(), '\0');
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i].copy(padded.data() + i * longest, longest);
  const hsize_t count = ids.size();
  const H5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose), type = text_type(longest);
  const H5Id set(
      H5Dcreate2(file, "ids", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  return set && H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) >= 0;
}

bool write_no_digests(hid_t file, std::size_t rows) {
  const std::vector<std::uint64_t> zeros(rows, 0);
  const hsize_t count = rows;
  const H5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const H5Id set(H5Dcreate2(file, "digests", H5T_STD_U64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT,
                            H5P_DEFAULT),
                 H5Dclose);
  return set &&
         H5Dwrite(set.get(), H5T_STD_U64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data()) >= 0;
}

// The rows' places: every chunk is allocated now, and none is written.
bool lay_out_rows(hid_t file, const RowFormat& format, std::size_t rows) {
  const hsize_t extents[2] = {rows, static_cast<hsize_t>(format.width())};
  const hsize_t chunk[2] = {1, extents[1]};
  const H5Id space(H5Screate_simple(2, extents, nullptr), H5Sclose);
  const H5Id plist(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), type = element_type(format.half);
  H5Pset_chunk(plist.get(), 2, chunk);
  H5Pset_alloc_time(plist.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plist.get(), H5D_FILL_TIME_NEVER);
  const H5Id set(
      H5Dcreate2(file, "rows", type.get(), space.get(), H5P_DEFAULT, plist.get(), H5P_DEFAULT),
      H5Dclose);
  return bool(set);
}

// Our own lock guards the file; HDF5's fails on some network file systems.
H5Id access_without_locks() {
  H5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), 0, 1);
  return access;
}

// HDF5 may crash on a full disk: ask before.
void check_space(const fs::path& path, std::uint64_t needed) {
  struct statvfs status {};
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::statvfs(folder.c_str(), &status) != 0) throw_io_error("write", path, errno);
  const std::uint64_t free = std::uint64_t{status.f_bavail} * status.f_frsize;
  if (free >= needed) return;
  throw IoError("cannot write " + path.string() + ": it needs " +
                std::to_string(needed / 1048576 + 1) + " MB, the disk has " +
                std::to_string(free / 1048576) +
                " MB; free some space, cache elsewhere, or keep "
                "16-bit floats");
}

class Finder {
 public:
  explicit Finder(hid_t file) : file_(file) {}

  // "" or what is wrong.
  std::string find(RowFile& out, std::uint64_t file_bytes) {
    if (!read_attributes(out.format)) return "it has no key, shape or version of ours";
    if (!find_rows(out, file_bytes)) return "its rows are not laid out as ours";
    if (!read_ids(out)) return "its ids cannot be read";
    if (!read_digests(out, file_bytes)) return "its digests cannot be read";
    if (layout_digest(out.format, out.ids) != layout_digest_) return "its ids or key were changed";
    return "";
  }

 private:
  bool read_text(const char* name, std::string& text) const {
    const H5Id attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose);
    if (!attribute) return false;
    const H5Id type(H5Aget_type(attribute.get()), H5Tclose);
    const std::size_t length = H5Tget_size(type.get());
    const H5Id space(H5Aget_space(attribute.get()), H5Sclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        H5Sget_simple_extent_npoints(space.get()) != 1 || length > 65536) {
      return false;
    }
    text.assign(length, '\0');
    if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return false;
    text.resize(text.find_last_not_of('\0') + 1);  // npos + 1 = 0
    return true;
  }

  bool read_numbers(const char* name, hid_t type, std::span<std::byte> into) const {
    const H5Id attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose);
    if (!attribute) return false;
    const H5Id found(H5Aget_type(attribute.get()), H5Tclose);
    const H5Id space(H5Aget_space(attribute.get()), H5Sclose);
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
    return H5Tequal(found.get(), type) > 0 && count * 8 == into.size() &&
           H5Aread(attribute.get(), type, into.data()) >= 0;
  }

  bool read_attributes(RowFormat& format) {
    std::uint64_t version = 0;
    if (!read_numbers("version", H5T_STD_U64LE, std::as_writable_bytes(std::span(&version, 1))) ||
        version != kVersion) {
      return false;
    }
    for (std::size_t rank = 1; rank <= kMostRank; ++rank) {
      format.shape.assign(rank, 0);
      if (read_numbers("shape", H5T_STD_I64LE, std::as_writable_bytes(std::span(format.shape)))) {
        return read_text("key", format.key) && read_text("layout_digest", layout_digest_);
      }
    }
    return false;
  }

  // Extents of a dataset, empty when it is none.
  static std::vector<hsize_t> extents_of(hid_t set) {
    const H5Id space(H5Dget_space(set), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank < 1 || rank > kMostRank) return {};
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    return extents;
  }

  bool find_rows(RowFile& out, std::uint64_t file_bytes) const {
    const H5Id set(H5Dopen2(file_, "rows", H5P_DEFAULT), H5Dclose);
    if (!set) return false;
    const H5Id type(H5Dget_type(set.get()), H5Tclose);
    const H5Id plist(H5Dget_create_plist(set.get()), H5Pclose);
    const std::vector<hsize_t> extents = extents_of(set.get());
    const H5Id whole = element_type(false), half = element_type(true);
    out.format.half = H5Tequal(type.get(), half.get()) > 0;
    const bool known = out.format.half || H5Tequal(type.get(), whole.get()) > 0;
    const Index width = out.format.width();
    if (!known || extents.size() != 2 || width < 1 || extents[1] != static_cast<hsize_t>(width) ||
        extents[0] > file_bytes) {
      return false;
    }
    if (H5Pget_layout(plist.get()) != H5D_CHUNKED || H5Pget_nfilters(plist.get()) != 0)
      return false;
    out.offsets.resize(extents[0]);
    for (hsize_t row = 0; row < extents[0]; ++row) {
      const hsize_t corner[2] = {row, 0};
      unsigned filters = 0;
      haddr_t address = HADDR_UNDEF;
      hsize_t bytes = 0;
      H5Dget_chunk_info_by_coord(set.get(), corner, &filters, &address, &bytes);
      if (address == HADDR_UNDEF || bytes != out.row_bytes() || address > file_bytes - bytes) {
        return false;
      }
      out.offsets[row] = address;
    }
    return true;
  }

  bool read_ids(RowFile& out) const {
    const H5Id set(H5Dopen2(file_, "ids", H5P_DEFAULT), H5Dclose);
    if (!set) return false;
    const H5Id type(H5Dget_type(set.get()), H5Tclose);
    const std::vector<hsize_t> extents = extents_of(set.get());
    const std::size_t rows = out.offsets.size(), length = H5Tget_size(type.get());
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        extents.size() != 1 || extents[0] != rows || length > 65536 ||
        H5Dget_storage_size(set.get()) != rows * length) {
      return false;
    }
    std::string padded(rows * length, '\0');
    if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) < 0) {
      return false;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      std::string id = padded.substr(i * length, length);
      id.resize(id.find_last_not_of('\0') + 1);
      out.ids.push_back(std::move(id));
    }
    return true;
  }

  bool read_digests(RowFile& out, std::uint64_t file_bytes) const {
    const H5Id set(H5Dopen2(file_, "digests", H5P_DEFAULT), H5Dclose);
    if (!set) return false;
    const std::vector<hsize_t> extents = extents_of(set.get());
    const H5Id type(H5Dget_type(set.get()), H5Tclose);
    const std::size_t bytes = out.offsets.size() * 8;
    out.digests_offset = H5Dget_offset(set.get());
    if (extents.size() != 1 || extents[0] != out.offsets.size() ||
        H5Tequal(type.get(), H5T_STD_U64LE) <= 0 || H5Dget_storage_size(set.get()) != bytes ||
        out.digests_offset == HADDR_UNDEF || out.digests_offset > file_bytes - bytes) {
      return false;
    }
    out.digests.resize(out.offsets.size());
    const auto into = std::as_writable_bytes(std::span(out.digests));
    return read_all_at(out.handle.fd(), into, out.digests_offset) == 0;
  }

  hid_t file_;
  std::string layout_digest_;
};

}  // namespace

Index RowFormat::width() const {
  Index count = 1;
  for (const Index extent : shape) {
    if (extent < 1 || __builtin_mul_overflow(count, extent, &count)) return 0;
  }
  return count > (Index{1} << 29) ? 0 : count;  // a chunk of HDF5 ends at 4 GB
}

std::size_t RowFile::row_bytes() const {
  return static_cast<std::size_t>(format.width()) * (format.half ? 2 : 4);
}

std::uint64_t row_digest(std::size_t row, std::span<const std::byte> bytes) {
  const std::uint64_t hash = XXH3_64bits_withSeed(bytes.data(), bytes.size(), row);
  return hash == 0 || hash == kLeftOut ? 1 : hash;
}

void create_row_file(const fs::path& path, const RowFormat& format,
                     const std::vector<std::string>& ids) {
  const std::uint64_t row_bytes =
      static_cast<std::uint64_t>(format.width()) * (format.half ? 2 : 4);
  check_space(path, 65536 + ids.size() * (row_bytes + kLayoutBytesARow));
  const Hdf5Session session;
  const H5Id access = access_without_locks();
  H5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  const bool written = file && write_attributes(file.get(), format, ids) &&
                       write_ids(file.get(), ids) && write_no_digests(file.get(), ids.size()) &&
                       lay_out_rows(file.get(), format, ids.size());
  if (!file.close() || !written) throw_io_error("write", path, errno == 0 ? EIO : errno);
}

std::string find_parts(const fs::path& path, RowFile& file) {
  struct stat status {};
  if (::fstat(file.handle.fd(), &status) != 0) throw_io_error("read", path, errno);
  file.path = path;
  const Hdf5Session session;
  const H5Id access = access_without_locks();
  const H5Id opened(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!opened) return "it is not a whole HDF5 file";
  return Finder(opened.get()).find(file, static_cast<std::uint64_t>(status.st_size));
}

bool read_row(const RowFile& file, std::size_t row, std::span<std::byte> bytes) {
  const int error = read_all_at(file.handle.fd(), bytes, file.offsets[row]);
  if (error != 0) throw_io_error("read", file.path, error);
  return row_digest(row, bytes) == file.digests[row];
}

}  // namespace saccade
