// Reads numpy's files: one array (.npy), or several in a zip archive (.npz); writes the former.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/unicode.h"
#include "core/io/array_file.h"
#include "core/io/packing.h"
#include "core/io/safetensors_header.h"
#include "core/io/stored_zip.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostHead = 1 << 16;
constexpr const char* kNpy = ".npy";

// An array as its head describes it.
struct NpyHead {
  std::string type;       // as safetensors calls it; "text"
  std::size_t width = 0;  // bytes of one element
  bool swapped = false;   // large bytes first
  bool columns = false;   // Fortran's order
  bool wide = false;      // texts of four bytes per character
  std::vector<Index> shape{};
  std::uint64_t start = 0;  // of the numbers
};

class NumpyFile final : public ArrayFile {
 public:
  explicit NumpyFile(const fs::path& path) {
    source_ = path.string();
    file_ = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file_.fd() < 0) throw_io_error("read", path, errno);
    std::error_code error;
    size_ = fs::file_size(path, error);
    if (error) throw_io_error("read", path, error.value());
    char first = 0;
    if (size_ > 0) read_at(0, std::as_writable_bytes(std::span(&first, 1)));
    if (first != 'P') {
      places_[""] = {.offset = 0, .bytes = size_};
      names_ = {""};
      return;
    }
    for (auto& [name, place] : files_of_zip(file_.fd(), size_, source_, ZipContent::kAny))
      if (name.ends_with(kNpy)) {
        const std::string array = name.substr(0, name.size() - std::strlen(kNpy));
        places_[array] = place;
        names_.push_back(array);
      }
    std::sort(names_.begin(), names_.end());
  }

  ArrayInfo info(const std::string& name) const override {
    const NpyHead head = head_of(name);
    return {.name = name, .type = head.type, .shape = head.shape};
  }

 protected:
  std::vector<std::byte> bytes(const ArrayInfo& array, Index first, Index rows) const override;
  std::vector<std::string> own_texts(const ArrayInfo& array) const override;

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw DataError(at(name) + ": " + why);
  }
  void read_at(std::uint64_t offset, std::span<std::byte> into) const {
    if (offset > size_ || into.size() > size_ - offset)
      throw DataError(source_ + ": it is cut; copy it again");
    if (const int error = read_all_at(file_.fd(), into, offset))
      throw_io_error("read", source_, error);
  }
  const StoredFile& place_of(const std::string& name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) refuse(name, "there is none");
    return found->second;
  }
  // Bytes of an array's file, unpacked.
  std::vector<std::byte> part(const std::string& name, std::uint64_t from,
                              std::uint64_t count) const;
  NpyHead head_of(const std::string& name) const;
  NpyHead parsed(const std::string& name, const std::string& text) const;

  FileHandle file_;
  std::uint64_t size_ = 0;
  std::map<std::string, StoredFile> places_;
};

std::vector<std::byte> NumpyFile::part(const std::string& name, std::uint64_t from,
                                       std::uint64_t count) const {
  const StoredFile& place = place_of(name);
  if (from > place.bytes || count > place.bytes - from)
    refuse(name, str("it is cut: it has ", place.bytes, " bytes, and its head announces ",
                     from + count, "; copy it again"));
  std::vector<std::byte> out(static_cast<std::size_t>(count));
  if (!place.deflated) {
    read_at(place.offset + from, out);
    return out;
  }
  std::uint64_t read = 0;
  const auto next = [&](std::span<std::byte> block) {
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(place.packed - read, block.size()));
    read_at(place.offset + read, block.first(bytes));
    read += bytes;
    return bytes;
  };
  if (!inflate_part(next, from, out))
    refuse(name, "its compressed bytes are damaged; copy it again");
  return out;
}

// What stands behind a key of the head, a dictionary in Python's notation.
std::string value_of(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("'" + key + "'");
  const std::size_t colon = at == std::string::npos ? at : text.find(':', at);
  const std::size_t from =
      colon == std::string::npos ? colon : text.find_first_not_of(' ', colon + 1);
  if (from == std::string::npos) return "";
  const char open = text[from];
  const std::size_t end = open == '\''  ? text.find('\'', from + 1)
                          : open == '(' ? text.find(')', from)
                                        : text.find_first_of(",}", from);
  if (end == std::string::npos) return "";
  return text.substr(from, end - from + (open == '\'' || open == '(' ? 1 : 0));
}

NpyHead NumpyFile::parsed(const std::string& name, const std::string& text) const {
  NpyHead head;
  const std::string type = value_of(text, "descr"), order = value_of(text, "fortran_order"),
                    shape = value_of(text, "shape");
  if (type.find('O') != std::string::npos)
    refuse(name,
           "it holds objects of Python (a pickle), which are never run; save numbers: "
           "np.save(FILE, np.asarray(x, dtype='float32'))");
  const bool plain = type.size() >= 5 && type[0] == '\'';
  if (!plain || (order != "True" && order != "False") || shape.empty() || shape[0] != '(')
    refuse(name, "its head is not that of one array of numbers: " + text.substr(0, 80));
  head.swapped = type[1] == '>';
  const std::string kind = type.substr(2, type.size() - 3);
  std::size_t bytes = 0;
  const auto read = std::from_chars(kind.data() + 1, kind.data() + kind.size(), bytes);
  if (read.ptr != kind.data() + kind.size()) refuse(name, "numbers of type " + type);
  head.width = bytes;
  if (kind[0] == 'U' || kind[0] == 'S') {
    head.type = "text";
    head.wide = kind[0] == 'U';
    if (head.wide) head.width *= 4;
  } else {
    const std::string letter = kind[0] == 'f'   ? "F"
                               : kind[0] == 'i' ? "I"
                               : kind[0] == 'u' ? "U"
                                                : "";
    head.type = kind == "b1" ? "BOOL" : str(letter, 8 * bytes);
    if (safetensors_type_bytes(head.type) != bytes)
      refuse(name, "numbers of type " + type + ", and not floats of 16, 32 or 64 bits");
  }
  head.columns = order == "True";
  for (std::size_t i = 1; i < shape.size();) {
    const std::size_t end = shape.find_first_of(",)", i);
    std::string digits = shape.substr(i, end - i);
    digits.erase(0, digits.find_first_not_of(' '));
    i = end + 1;
    if (digits.empty()) continue;
    Index extent = -1;
    const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    const bool whole = done.ptr == digits.data() + digits.size() || *done.ptr == 'L';
    if (!whole || extent < 0) refuse(name, "its head has the shape " + shape);
    head.shape.push_back(extent);
  }
  return head;
}

NpyHead NumpyFile::head_of(const std::string& name) const {
  constexpr std::uint64_t kFixed = 12;  // magic, version, and a length of two or four bytes
  if (place_of(name).bytes < kFixed) refuse(name, "it is cut before the end of its head");
  const std::vector<std::byte> fixed = part(name, 0, kFixed);
  const auto* head = reinterpret_cast<const unsigned char*>(fixed.data());
  if (std::memcmp(head, "\x93NUMPY", 6) != 0) refuse(name, "it is no array of numpy");
  const bool small = head[6] == 1;
  std::uint64_t length = head[8] + 256U * head[9];
  if (!small) length += (std::uint64_t{head[10]} << 16) + (std::uint64_t{head[11]} << 24);
  const std::uint64_t start = small ? 10 : 12;
  if (length > kMostHead || start + length > place_of(name).bytes)
    refuse(name, "it is cut before the end of its head; copy it again");
  const std::vector<std::byte> text = part(name, start, length);
  NpyHead out = parsed(name, {reinterpret_cast<const char*>(text.data()), text.size()});
  out.start = start + length;
  std::uint64_t needed = out.width;
  bool fits = true;
  for (const Index extent : out.shape)
    fits = fits && !__builtin_mul_overflow(needed, static_cast<std::uint64_t>(extent), &needed);
  const std::uint64_t has = place_of(name).bytes - out.start;
  if (!fits || needed > has)
    refuse(name,
           str("it is cut: ", ArrayInfo{"", out.type, out.shape}.text(), " are ",
               fits ? str(needed) : "too many", " bytes, and it has ", has, "; copy it again"));
  return out;
}

std::vector<std::byte> NumpyFile::bytes(const ArrayInfo& array, Index first, Index rows) const {
  const NpyHead head = head_of(array.name);
  const Index all = head.shape.empty() ? 1 : head.shape[0];
  const auto row = static_cast<std::size_t>(all == 0 ? 0 : array.count() / all) * head.width;
  std::vector<std::byte> out;
  if (!head.columns || head.shape.size() < 2) {
    out = part(array.name, head.start + static_cast<std::uint64_t>(first) * row,
               static_cast<std::uint64_t>(rows) * row);
  } else {
    if (rows < all && head.shape.size() > 2 && all > 64)
      refuse(array.name,
             "it is in Fortran's order, in which the numbers of a photo lie all over the file; "
             "save it again: np.save(FILE, np.ascontiguousarray(x))");
    const std::vector<std::byte> whole =
        part(array.name, head.start, static_cast<std::uint64_t>(all) * row);
    out.resize(static_cast<std::size_t>(rows) * row);
    const std::size_t axes = head.shape.size();
    std::vector<std::size_t> stride(axes, head.width);
    for (std::size_t a = 1; a < axes; ++a)
      stride[a] = stride[a - 1] * static_cast<std::size_t>(head.shape[a - 1]);
    std::vector<Index> at(axes, 0);
    at[0] = first;
    for (std::size_t to = 0; to < out.size(); to += head.width) {
      std::size_t from = 0;
      for (std::size_t a = 0; a < axes; ++a) from += static_cast<std::size_t>(at[a]) * stride[a];
      std::memcpy(out.data() + to, whole.data() + from, head.width);
      for (std::size_t a = axes; a-- > 0;) {
        if (++at[a] < head.shape[a] || a == 0) break;
        at[a] = 0;
      }
    }
  }
  if (head.swapped && head.type != "text")
    for (std::size_t i = 0; i < out.size(); i += head.width)
      std::reverse(out.begin() + static_cast<std::ptrdiff_t>(i),
                   out.begin() + static_cast<std::ptrdiff_t>(i + head.width));
  return out;
}

std::vector<std::string> NumpyFile::own_texts(const ArrayInfo& array) const {
  const NpyHead head = head_of(array.name);
  if (head.swapped || head.columns) refuse(array.name, "texts in this order of bytes");
  const std::vector<std::byte> raw = bytes(array, 0, head.shape.empty() ? 1 : head.shape[0]);
  std::vector<std::string> out;
  for (std::size_t i = 0; head.width > 0 && i < raw.size(); i += head.width) {
    std::string text;
    if (head.wide) {
      for (std::size_t c = 0; c < head.width; c += 4) {
        std::uint32_t letter = 0;
        std::memcpy(&letter, raw.data() + i + c, 4);
        if (letter == 0) break;
        unicode::append(text, static_cast<unicode::CodePoint>(letter));
      }
    } else {
      text.assign(reinterpret_cast<const char*>(raw.data()) + i, head.width);
      text.resize(std::min(text.find('\0'), text.size()));
    }
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

std::string numpy_file(std::span<const Index> shape, std::span<const float> values) {
  constexpr std::size_t kAligned = 64;  // of the numbers, as numpy.lib.format says
  std::string extents;
  std::size_t count = 1;
  for (const Index extent : shape) {
    extents += str(extent, ",");
    count *= static_cast<std::size_t>(extent);
  }
  SACCADE_CHECK(count == values.size(), "[arrays] ", values.size(), " numbers of ", count);
  std::string head = str("{'descr': '<f4', 'fortran_order': False, 'shape': (", extents, "), }");
  const std::size_t fixed = 10;  // magic, version and the length of the head
  head.append(kAligned - (fixed + head.size() + 1) % kAligned, ' ');
  head += '\n';
  std::string out = "\x93NUMPY";
  out +=
      {'\x01', '\x00', static_cast<char>(head.size() & 0xFF), static_cast<char>(head.size() >> 8)};
  out += head;
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return out;
}

std::unique_ptr<ArrayFile> open_numpy(const fs::path& path) {
  auto file = std::make_unique<NumpyFile>(path);
  if (file->names().empty()) return nullptr;
  return file;
}

}  // namespace saccade
