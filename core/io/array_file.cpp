#include "core/io/array_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/listing.h"
#include "core/io/half.h"
#include "core/io/safetensors_header.h"
#include "core/io/tensor_files.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 34;  // of what is read at once

template <class From, class To>
void convert(std::span<const std::byte> bytes, std::vector<To>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    out[i] = static_cast<To>(value);
  }
}

// The numbers of a type; false where the type has none.
template <class To>
bool numbers(const std::string& type, std::span<const std::byte> bytes, std::vector<To>& out) {
  out.resize(bytes.size() / std::max<std::uint64_t>(safetensors_type_bytes(type), 1));
  if (type == "F32") return convert<float>(bytes, out), true;
  if (type == "F64") return convert<double>(bytes, out), true;
  if (type == "F16" || type == "BF16") {
    std::vector<std::uint16_t> halves(out.size());
    std::memcpy(halves.data(), bytes.data(), bytes.size());
    const bool brain = type == "BF16";
    std::transform(halves.begin(), halves.end(), out.begin(), [&](std::uint16_t bits) {
      return static_cast<To>(brain ? std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16)
                                   : float_from_half(bits));
    });
    return true;
  }
  if (type == "I64") return convert<std::int64_t>(bytes, out), true;
  if (type == "I32") return convert<std::int32_t>(bytes, out), true;
  if (type == "I16") return convert<std::int16_t>(bytes, out), true;
  if (type == "I8") return convert<std::int8_t>(bytes, out), true;
  if (type == "U64") return convert<std::uint64_t>(bytes, out), true;
  if (type == "U32") return convert<std::uint32_t>(bytes, out), true;
  if (type == "U16") return convert<std::uint16_t>(bytes, out), true;
  if (type == "U8" || type == "BOOL") return convert<std::uint8_t>(bytes, out), true;
  return false;
}

// Safetensors, and what torch.save wrote.
class TensorArrays final : public ArrayFile {
 public:
  explicit TensorArrays(std::unique_ptr<TensorFile> file) : file_(std::move(file)) {
    source_ = file_->source();
    for (const SafetensorsEntry& entry : file_->entries()) names_.push_back(entry.name);
  }
  ArrayInfo info(const std::string& name) const override {
    const SafetensorsEntry* entry = file_->find(name);
    if (entry == nullptr) throw DataError(at(name) + ": there is none");
    return {.name = name, .type = entry->type, .shape = entry->shape};
  }

 protected:
  std::vector<std::byte> bytes(const ArrayInfo& array, Index first, Index rows) const override {
    const SafetensorsEntry& entry = *file_->find(array.name);
    const bool exact = array.type == "F64";
    const auto row = static_cast<std::size_t>(
        array.shape.empty() || array.shape[0] == 0 ? 1 : array.count() / array.shape[0]);
    const auto part = [&](const auto& values) {
      const auto own = std::as_bytes(std::span(values).subspan(
          static_cast<std::size_t>(first) * row, static_cast<std::size_t>(rows) * row));
      return std::vector<std::byte>(own.begin(), own.end());
    };
    if (exact) return part(file_->doubles(entry));
    if (array.type != "I64") {
      // Floats are handed on in the type that the array has: halves and floats alike fit in F32.
      const std::vector<float> values = file_->floats(entry);
      if (array.type == "F32") return part(values);
      std::vector<std::uint16_t> bits(values.size());
      for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = array.type == "BF16"
                      ? static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(values[i]) >> 16)
                      : half_from_float(values[i]);
      return part(bits);
    }
    const auto* own = dynamic_cast<const SafetensorsFile*>(file_.get());
    if (own == nullptr)
      throw DataError(at(array.name) + ": whole numbers of torch.save are not read");
    return part(own->int64s(entry));
  }

 private:
  std::unique_ptr<TensorFile> file_;
};

}  // namespace

Index ArrayInfo::count() const {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

std::string ArrayInfo::text() const {
  return str(type, " [", join(shape, ", ", [](Index extent) { return str(extent); }), "]");
}

bool ArrayFile::has(const std::string& name) const {
  return std::binary_search(names_.begin(), names_.end(), name);
}

std::string ArrayFile::at(const std::string& name) const {
  return name.empty() ? source_ : source_ + ": array " + safetensors_name_in_message(name);
}

std::vector<std::byte> ArrayFile::checked_bytes(const ArrayInfo& array, Index first,
                                                Index& rows) const {
  const Index all = array.shape.empty() ? 1 : array.shape[0];
  if (rows < 0) rows = all - first;
  SACCADE_CHECK(first >= 0 && rows >= 0 && first <= all - rows, "[arrays] rows ", first, " to ",
                first + rows, " of ", array.text());
  const std::uint64_t width = safetensors_type_bytes(array.type);
  if (width == 0)
    throw DataError(
        str(at(array.name), " is of type ", array.type, ", and not of numbers; save floats in it"));
  const Index row = all == 0 ? 0 : array.count() / all;
  if (rows * row > static_cast<Index>(kMostBytes / width))
    throw DataError(str(at(array.name), " is ", array.text(), ", too much to be read at once"));
  std::vector<std::byte> out = bytes(array, first, rows);
  SACCADE_ASSERT(out.size() == static_cast<std::size_t>(rows * row) * width, at(array.name),
                 ": rows of another size");
  return out;
}

std::vector<float> ArrayFile::floats(const ArrayInfo& array, Index first, Index rows) const {
  std::vector<float> out;
  const std::vector<std::byte> raw = checked_bytes(array, first, rows);
  if (!numbers(array.type, raw, out)) throw DataError(at(array.name) + " has no numbers");
  return out;
}

std::vector<double> ArrayFile::doubles(const ArrayInfo& array, Index first, Index rows) const {
  std::vector<double> out;
  const std::vector<std::byte> raw = checked_bytes(array, first, rows);
  if (!numbers(array.type, raw, out)) throw DataError(at(array.name) + " has no numbers");
  return out;
}

std::vector<std::string> ArrayFile::own_texts(const ArrayInfo& array) const {
  throw DataError(str(at(array.name), " is ", array.text(), ", and no list of texts"));
}

std::vector<std::string> ArrayFile::texts(const ArrayInfo& array) const {
  if (array.type == "text") return own_texts(array);
  if (array.type[0] != 'I' && array.type[0] != 'U') return ArrayFile::own_texts(array);
  std::vector<std::string> out;
  for (const double number : doubles(array))
    out.push_back(std::to_string(static_cast<std::int64_t>(number)));
  return out;
}

std::unique_ptr<ArrayFile> open_arrays(const fs::path& path) {
  std::string head(8, '\0');
  std::error_code error;
  if (!fs::exists(path, error)) throw DataError(path.string() + ": no such file of arrays");
  if (fs::is_regular_file(path, error)) {
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw_io_error("read", path, errno);
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(in.gcount()));
  }
  if (head.starts_with("\x93NUMPY")) return open_numpy(path);
  if (head.starts_with("\x89HDF\r\n")) return open_hdf5(path);
  if (head.starts_with("PK\x03\x04")) {
    // numpy and torch both write zip archives; only numpy's have arrays as files.
    if (auto arrays = open_numpy(path)) return arrays;
  }
  // What torch.save writes begins with PK or \x80; safetensors with the length of their header.
  const bool tensors = head.starts_with("PK") || head.starts_with('\x80') ||
                       (head.size() == 8 && head.ends_with(std::string_view("\0\0\0", 3)));
  if (!tensors && fs::is_regular_file(path, error)) {
    const std::string kind = foreign_file(path.string(), WantedFile::kWeights);
    throw DataError(path.string() + ": " +
                    (!kind.empty()  ? kind
                     : head.empty() ? "it is empty"
                                    : "it is cut, or has no arrays") +
                    "; arrays are read from .npy, .npz, HDF5, safetensors and files of torch.save");
  }
  return std::make_unique<TensorArrays>(open_tensors(path, true));
}

}  // namespace saccade
