#include "core/io/row_file.h"

#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/io/hdf5_handle.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kRowFileVersion = 1;
constexpr std::uint64_t kLayoutBytesARow = 512;  // approximately: indices, id and digest

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

bool write_attribute(hid_t file, const char* name, hid_t type, hid_t space, const void* value) {
  const H5Id attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type, value) >= 0;
}

bool write_attributes(hid_t file, const RowFormat& format) {
  const H5Id scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const auto text = [&](const char* name, const std::string& value) {
    const H5Id type = text_type(value.size());
    return write_attribute(file, name, type.get(), scalar.get(), value.c_str());
  };
  const hsize_t rank = format.shape.size();
  const H5Id shape(H5Screate_simple(1, &rank, nullptr), H5Sclose);
  return write_attribute(file, "version", H5T_STD_U64LE, scalar.get(), &kRowFileVersion) &&
         text("key", format.key) &&
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

// Creates the dataset of the rows: every chunk gets its place now, and none is written.
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

// The file is guarded by a lock of its own; HDF5's locks fail on some network file systems.
H5Id access_without_locks() {
  H5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), 0, 1);
  return access;
}

// HDF5 may crash where it cannot write, so the space is checked before: that of the disk, and the
// size that the process may give to a file.
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

// Finds where HDF5 put the rows and their digests.
bool find_places(hid_t file, RowFile& out) {
  const H5Id digests(H5Dopen2(file, "digests", H5P_DEFAULT), H5Dclose);
  const H5Id rows(H5Dopen2(file, "rows", H5P_DEFAULT), H5Dclose);
  if (!digests || !rows) return false;
  out.digests_offset = H5Dget_offset(digests.get());
  out.offsets.clear();
  for (std::size_t row = 0; row < out.ids.size(); ++row) {
    const hsize_t corner[2] = {row, 0};
    unsigned filters = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    H5Dget_chunk_info_by_coord(rows.get(), corner, &filters, &address, &bytes);
    if (address == HADDR_UNDEF || bytes != out.row_bytes()) return false;
    out.offsets.push_back(address);
  }
  return out.digests_offset != HADDR_UNDEF;
}

// The end of the file: an index of its parts in JSON, the length and the digest of the index, and a
// mark.
constexpr std::string_view kMark = "\nrowsidx";
constexpr std::size_t kTailBytes = 24;

std::string index_with_tail(const RowFile& file) {
  const Json index = {
      {"version", kRowFileVersion},    {"key", file.format.key}, {"shape", file.format.shape},
      {"half", file.format.half},      {"ids", file.ids},        {"offsets", file.offsets},
      {"digests", file.digests_offset}};
  // An id may be a file name that is not UTF-8, which JSON cannot hold.
  std::string text;
  try {
    text = index.dump();
  } catch (const Json::exception&) {
    throw DataError(file.path.string() + ": an image's name is not UTF-8; rename the image");
  }
  const std::uint64_t numbers[2] = {text.size(), XXH3_64bits(text.data(), text.size())};
  text.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  return text.append(kMark);
}

// Reads the index at the end of a file; "" when there is none or it is damaged.
std::string read_index(int fd, std::uint64_t file_bytes) {
  std::array<char, kTailBytes> tail{};
  if (file_bytes < kTailBytes) return "";
  const auto into = std::as_writable_bytes(std::span(tail));
  if (read_all_at(fd, into, file_bytes - kTailBytes) != 0) return "";
  std::uint64_t numbers[2] = {};
  std::memcpy(numbers, tail.data(), sizeof numbers);
  const std::string_view mark(tail.data() + sizeof numbers, kMark.size());
  if (mark != kMark || numbers[0] > file_bytes - kTailBytes) return "";
  std::string text(numbers[0], '\0');
  const std::uint64_t start = file_bytes - kTailBytes - numbers[0];
  if (read_all_at(fd, std::as_writable_bytes(std::span(text)), start) != 0) return "";
  return XXH3_64bits(text.data(), text.size()) == numbers[1] ? text : "";
}

// Fills `out` from the index; false when the index is not valid. Throws Json::exception on values
// of wrong types.
bool take_index(const std::string& text, std::uint64_t file_bytes, RowFile& out) {
  const Json index = Json::parse(text);
  if (index.at("version").get<std::uint64_t>() != kRowFileVersion) return false;
  index.at("key").get_to(out.format.key);
  index.at("shape").get_to(out.format.shape);
  index.at("half").get_to(out.format.half);
  index.at("ids").get_to(out.ids);
  index.at("offsets").get_to(out.offsets);
  index.at("digests").get_to(out.digests_offset);
  const std::size_t rows = out.ids.size(), row_bytes = out.row_bytes();
  const auto inside = [&](std::uint64_t offset, std::uint64_t bytes) {
    return bytes <= file_bytes && offset <= file_bytes - bytes;
  };
  return row_bytes > 0 && out.offsets.size() == rows && inside(out.digests_offset, rows * 8) &&
         std::all_of(out.offsets.begin(), out.offsets.end(),
                     [&](std::uint64_t offset) { return inside(offset, row_bytes); });
}

}  // namespace

std::uint64_t file_size(const RowFile& file) {
  struct stat status {};
  if (::fstat(file.handle.fd(), &status) != 0) throw_io_error("read", file.path, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

Index RowFormat::width() const {
  Index count = 1;
  for (const Index extent : shape) {
    if (extent < 1 || __builtin_mul_overflow(count, extent, &count)) return 0;
  }
  return count > (Index{1} << 29) ? 0 : count;  // a chunk of HDF5 is at most 4 GB
}

std::size_t RowFile::row_bytes() const {
  return static_cast<std::size_t>(format.width()) * (format.half ? 2 : 4);
}

std::uint64_t row_digest(std::size_t row, std::span<const std::byte> bytes) {
  const std::uint64_t hash = XXH3_64bits_withSeed(bytes.data(), bytes.size(), row);
  return hash == 0 || hash == kLeftOut ? 1 : hash;
}

void create_row_file(RowFile& file) {
  const fs::path& path = file.path;
  check_space(path, 65536 + file.ids.size() * (file.row_bytes() + kLayoutBytesARow));
  {
    const Hdf5Session session;
    const H5Id access = access_without_locks();
    H5Id made(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
    const bool written =
        made && write_attributes(made.get(), file.format) && write_ids(made.get(), file.ids) &&
        write_no_digests(made.get(), file.ids.size()) &&
        lay_out_rows(made.get(), file.format, file.ids.size()) && find_places(made.get(), file);
    if (!made.close() || !written) throw_io_error("write", path, errno == 0 ? EIO : errno);
  }
  const std::string index = index_with_tail(file);
  const std::uint64_t bytes = file_size(file);
  int error = reserve_space(file.handle.fd(), bytes + index.size());
  if (error == 0) error = write_all_at(file.handle.fd(), std::as_bytes(std::span(index)), bytes);
  if (error != 0) throw_io_error("write", path, error);
  file.digests.assign(file.ids.size(), 0);
}

bool find_parts(RowFile& file) {
  const std::uint64_t bytes = file_size(file);
  try {
    if (!take_index(read_index(file.handle.fd(), bytes), bytes, file)) return false;
  } catch (const Json::exception&) {
    return false;
  }
  file.digests.assign(file.ids.size(), 0);
  const auto into = std::as_writable_bytes(std::span(file.digests));
  return read_all_at(file.handle.fd(), into, file.digests_offset) == 0;
}

bool read_row(const RowFile& file, std::size_t row, std::span<std::byte> bytes) {
  const int error = read_all_at(file.handle.fd(), bytes, file.offsets[row]);
  if (error != 0) throw_io_error("read", file.path, error);
  return row_digest(row, bytes) == file.digests[row];
}

}  // namespace saccade
