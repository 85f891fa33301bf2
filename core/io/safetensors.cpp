#include "core/io/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/io/half.h"
#include "core/io/safetensors_header.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

static_assert(std::endian::native == std::endian::little,
              "the format's numbers are copied as bytes");

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;

FileHandle open_regular(const fs::path& path, std::uint64_t& bytes) {
  FileHandle file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // opening a pipe must not block
  if (file.fd() < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      throw DataError(path.string() + ": no such safetensors file");
    throw_io_error("read", path, errno);
  }
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) throw_io_error("read", path, errno);
  if (!S_ISREG(status.st_mode))
    throw DataError(path.string() + ": not a safetensors file but " +
                    (S_ISDIR(status.st_mode) ? "a directory" : "a pipe, a socket or a device"));
  bytes = static_cast<std::uint64_t>(status.st_size);
  return file;
}

float float_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

constexpr const char* kDigest = "saccade.digest";

// The digest of texts and arrays. The entries are in the order of their names, and piece(entry,
// start, count) gives some bytes of one.
template <class Piece>
std::string content_digest(const std::map<std::string, std::string>& metadata,
                           std::span<const SafetensorsEntry> entries, Piece piece) {
  constexpr std::uint64_t kPiece = 1 << 20;
  Digest digest;
  for (const auto& [key, text] : metadata)
    if (key != kDigest) digest.add(key), digest.add(text);
  for (const SafetensorsEntry& entry : entries) {
    digest.add(entry.name);
    digest.add(entry.type);
    for (const Index extent : entry.shape) digest.add(str(extent));
    for (std::uint64_t start = 0; start < entry.bytes; start += kPiece) {
      const std::span<const std::byte> bytes =
          piece(entry, start, std::min(kPiece, entry.bytes - start));
      digest.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  return digest.hex();
}

template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
  return std::vector<To>(values.begin(), values.end());
}

}  // namespace

Index SafetensorsEntry::count() const {
  return static_cast<Index>(bytes / safetensors_type_bytes(type));
}

SafetensorsFile::SafetensorsFile(const fs::path& path) {
  source_ = path.string();
  std::uint64_t bytes = 0;
  file_ = open_regular(path, bytes);
  std::uint64_t header_bytes = 0;
  const auto read = [&](std::span<std::byte> into, std::uint64_t offset) {
    if (const int error = read_all_at(file_.fd(), into, offset))
      throw_io_error("read", source_, error);
  };
  if (bytes >= kLengthBytes) read(std::as_writable_bytes(std::span(&header_bytes, 1)), 0);
  const auto refuse = [&](const char* why) {
    const std::string kind = foreign_file(source_, WantedFile::kWeights);
    const bool other = !kind.empty() && kind != "it is a safetensors file";
    throw DataError(source_ + ": not a safetensors file" +
                    (other ? ": " + kind : std::string(", or a truncated one: ") + why));
  };
  // The length comes from a file of unknown origin: it is checked before it is used.
  if (bytes < kLengthBytes || header_bytes > kMostHeaderBytes ||
      header_bytes > bytes - kLengthBytes)
    refuse("its header would be longer than the file or than 100 MB");
  std::string text(static_cast<std::size_t>(header_bytes), '\0');
  read(std::as_writable_bytes(std::span(text)), kLengthBytes);
  if (text.empty() || text.front() != '{') refuse("its header is not a JSON object");
  // To the reader of JSON a zero byte is the end, whatever stands behind it.
  if (text.find('\0') != std::string::npos) refuse("its header has a zero byte");
  data_start_ = kLengthBytes + header_bytes;
  SafetensorsHeader header = parse_safetensors_header(text, bytes - data_start_, source_);
  entries_ = std::move(header.entries);
  metadata_ = std::move(header.metadata);
}

const SafetensorsEntry* TensorFile::find(const std::string& name) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), name,
                                      [](const auto& e, const auto& n) { return e.name < n; });
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

bool SafetensorsFile::has_digest() const { return metadata_.contains(kDigest); }

void SafetensorsFile::check_digest() const {
  if (!has_digest()) return;
  std::vector<std::byte> buffer;
  const std::string found = content_digest(
      metadata_, entries_,
      [&](const SafetensorsEntry& entry, std::uint64_t start, std::uint64_t count) {
        buffer.resize(static_cast<std::size_t>(count));
        if (const int error = read_all_at(file_.fd(), buffer, data_start_ + entry.offset + start))
          throw_io_error("read", source_, error);
        return std::span<const std::byte>(buffer);
      });
  if (found != metadata_.at(kDigest))
    throw DataError(str(source_, ": is damaged, or was changed by another program: its digest is ",
                        found, ", and should be ", metadata_.at(kDigest),
                        "; convert the checkpoint again"));
}

template <class T>
std::vector<T> SafetensorsFile::raw(const SafetensorsEntry& entry) const {
  std::vector<T> values(static_cast<std::size_t>(entry.count()));
  const auto into = std::as_writable_bytes(std::span(values));
  if (const int error = read_all_at(file_.fd(), into, data_start_ + entry.offset))
    throw_io_error("read", source_, error);
  return values;
}

std::vector<float> SafetensorsFile::floats(const SafetensorsEntry& entry) const {
  if (entry.type == "F32") return raw<float>(entry);
  if (entry.type == "F64") return converted<float>(raw<double>(entry));
  if (entry.type != "F16" && entry.type != "BF16") refuse_type(entry, "F32, F16, BF16 or F64");
  const std::vector<std::uint16_t> halves = raw<std::uint16_t>(entry);
  std::vector<float> values(halves.size());
  if (entry.type == "F16") {
    floats_from_halves(halves, values);
  } else {
    std::transform(halves.begin(), halves.end(), values.begin(), float_from_bf16);
  }
  return values;
}

std::vector<double> SafetensorsFile::doubles(const SafetensorsEntry& entry) const {
  if (entry.type == "F64") return raw<double>(entry);
  return converted<double>(floats(entry));
}

std::vector<std::int64_t> SafetensorsFile::int64s(const SafetensorsEntry& entry) const {
  if (entry.type != "I64") refuse_type(entry, "I64");
  return raw<std::int64_t>(entry);
}

void SafetensorsFile::refuse_type(const SafetensorsEntry& entry, const char* wanted) const {
  throw DataError(source_ + ": array " + safetensors_name_in_message(entry.name) + " is of type " +
                  entry.type + ", not " + wanted);
}

void save_safetensors(const fs::path& path, std::vector<SafetensorsArray> arrays,
                      const std::map<std::string, std::string>& metadata) {
  // Types with wide numbers come first, so that each array is aligned to the width of its own.
  std::sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) {
    const auto width = [](const auto& array) { return safetensors_type_bytes(array.type); };
    return width(a) != width(b) ? width(a) > width(b) : a.name < b.name;
  });
  std::vector<SafetensorsEntry> entries;
  std::vector<std::span<const std::byte>> parts(2);
  std::uint64_t offset = 0;
  for (const SafetensorsArray& array : arrays) {
    entries.push_back({.name = array.name,
                       .type = array.type,
                       .shape = array.shape,
                       .offset = offset,
                       .bytes = array.bytes.size()});
    offset += array.bytes.size();
    parts.push_back(array.bytes);
  }
  std::map<std::string, std::string> texts = metadata;
  std::vector<SafetensorsEntry> by_name = entries;
  std::sort(by_name.begin(), by_name.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::map<std::string, std::span<const std::byte>> bytes_of;
  for (const SafetensorsArray& array : arrays) bytes_of[array.name] = array.bytes;
  SACCADE_ASSERT(bytes_of.size() == arrays.size(), "two arrays of one name in a safetensors file");
  texts[kDigest] = content_digest(
      metadata, by_name,
      [&](const SafetensorsEntry& entry, std::uint64_t start, std::uint64_t count) {
        return bytes_of.at(entry.name)
            .subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(count));
      });
  const std::string header = safetensors_header_text(entries, texts);
  try {
    parse_safetensors_header(header, offset, path.string());
  } catch (const DataError& error) {
    throw InternalError(str("internal: would write what cannot be read: ", error.what()));
  }
  SACCADE_ASSERT(header.size() <= kMostHeaderBytes, "a safetensors header of ", header.size(),
                 " bytes");
  const std::array<std::uint64_t, 1> length{header.size()};
  parts[0] = std::as_bytes(std::span(length));
  parts[1] = std::as_bytes(std::span(header));
  write_file(path, parts);
}

}  // namespace saccade
