#include "core/io/stored_zip.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::uint64_t kEndBytes = 22, kLongestComment = 65535, kLocator = 20, kEnd64 = 56;
constexpr std::uint64_t kMostDirectory = std::uint64_t{1} << 30;
constexpr std::uint32_t kUnknown32 = 0xFFFFFFFF;

// Reads numbers of a part of the archive; every place is checked.
class ZipPart {
 public:
  ZipPart(int fd, std::uint64_t size, const std::string& source)
      : fd_(fd), size_(size), source_(source) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw DataError(source_ + ": " + why + "; the zip archive is cut or damaged, copy it again");
  }
  std::string bytes(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset) refuse("a part lies behind the end of the file");
    std::string text(static_cast<std::size_t>(count), '\0');
    const auto into = std::as_writable_bytes(std::span(text.data(), text.size()));
    if (const int error = read_all_at(fd_, into, offset)) throw_io_error("read", source_, error);
    return text;
  }
  std::uint64_t size() const { return size_; }

 private:
  int fd_;
  std::uint64_t size_;
  const std::string& source_;
};

std::uint64_t number(const ZipPart& zip, const std::string& text, std::size_t at,
                     std::size_t count) {
  if (at > text.size() || count > text.size() - at) zip.refuse("an entry ends too early");
  std::uint64_t value = 0;
  std::memcpy(&value, text.data() + at, count);
  return value;
}

// Where the list of files lies.
struct Directory {
  std::uint64_t offset, bytes, count;
};

Directory directory_of(const ZipPart& zip) {
  const std::uint64_t tail = std::min(zip.size(), kEndBytes + kLongestComment);
  const std::string text = zip.bytes(zip.size() - tail, tail);
  const std::size_t end = text.rfind(std::string("PK\x05\x06", 4));
  if (end == std::string::npos) zip.refuse("it has no list of its files");
  Directory directory{.offset = number(zip, text, end + 16, 4),
                      .bytes = number(zip, text, end + 12, 4),
                      .count = number(zip, text, end + 10, 2)};
  const std::uint64_t place = zip.size() - tail + end;
  if (place < kLocator) return directory;
  const std::string locator = zip.bytes(place - kLocator, kLocator);
  if (!locator.starts_with(std::string("PK\x06\x07", 4))) return directory;
  const std::string large = zip.bytes(number(zip, locator, 8, 8), kEnd64);
  if (!large.starts_with(std::string("PK\x06\x06", 4))) zip.refuse("its list of files is missing");
  return {.offset = number(zip, large, 48, 8),
          .bytes = number(zip, large, 40, 8),
          .count = number(zip, large, 32, 8)};
}

// An entry's numbers that have more than 32 bits stand behind its name, in a fixed order.
void take_large_numbers(const ZipPart& zip, const std::string& extra, std::uint64_t& full,
                        std::uint64_t& packed, std::uint64_t& place) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t kind = number(zip, extra, at, 2), bytes = number(zip, extra, at + 2, 2);
    std::size_t next = at + 4;
    if (kind == 1)
      for (std::uint64_t* value : {&full, &packed, &place})
        if (*value == kUnknown32) {
          *value = number(zip, extra, next, 8);
          next += 8;
        }
    at += 4 + static_cast<std::size_t>(bytes);
  }
}

}  // namespace

std::map<std::string, StoredFile> files_of_zip(int fd, std::uint64_t size,
                                               const std::string& source, ZipContent content) {
  const ZipPart zip(fd, size, source);
  const Directory directory = directory_of(zip);
  if (directory.bytes > kMostDirectory) zip.refuse("its list of files is too long");
  const std::string list = zip.bytes(directory.offset, directory.bytes);
  std::map<std::string, StoredFile> files;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (list.compare(at, 4, "PK\x01\x02") != 0) zip.refuse("its list of files is broken");
    const std::uint64_t method = number(zip, list, at + 10, 2);
    std::uint64_t packed = number(zip, list, at + 20, 4), full = number(zip, list, at + 24, 4);
    const auto name_bytes = static_cast<std::size_t>(number(zip, list, at + 28, 2));
    const auto extra_bytes = static_cast<std::size_t>(number(zip, list, at + 30, 2));
    const auto comment_bytes = static_cast<std::size_t>(number(zip, list, at + 32, 2));
    std::uint64_t place = number(zip, list, at + 42, 4);
    if (list.size() - at < 46 + name_bytes + extra_bytes + comment_bytes)
      zip.refuse("its list of files ends too early");
    const std::string name = list.substr(at + 46, name_bytes);
    take_large_numbers(zip, list.substr(at + 46 + name_bytes, extra_bytes), full, packed, place);
    at += 46 + name_bytes + extra_bytes + comment_bytes;
    constexpr std::uint64_t kDeflate = 8;
    const bool deflated = method == kDeflate && content == ZipContent::kAny;
    if (!deflated && content == ZipContent::kAny && (method != 0 || packed != full))
      throw DataError(str(source, ": it compresses ", name, " by method ", method,
                          ", which numpy never uses; save it again with np.savez_compressed"));
    if (!deflated && (method != 0 || packed != full))
      throw DataError(source + ": it compresses " + name +
                      ", which torch.save never does; unpack it, and save the weights again");
    const std::string local = zip.bytes(place, 30);
    if (!local.starts_with("PK\x03\x04")) zip.refuse("the beginning of " + name + " is missing");
    const std::uint64_t start = place + 30 + number(zip, local, 26, 2) + number(zip, local, 28, 2);
    if (start > size || packed > size - start) zip.refuse(name + " goes on behind the end");
    if (!files.emplace(name, StoredFile{start, full, packed, deflated}).second)
      zip.refuse("it has " + name + " twice");
  }
  return files;
}

}  // namespace saccade
