// The safetensors format: named arrays in one file, by which Python's libraries exchange weights. A
// file is a length (u64), a header in JSON, and the numbers, all little-endian. A file of unknown
// origin is safe to read: every rule of the format is checked before any memory is allocated for
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/real.h"

namespace saccade {

// An array of a file, as the header describes it.
struct SafetensorsEntry {
  std::string name;
  std::string type;  // F64, F32, F16, BF16, I64, ...
  std::vector<Index> shape;
  std::uint64_t offset = 0, bytes = 0;  // relative to the end of the header

  Index count() const;  // the number of its elements
};

// Named arrays of published weights, whatever file holds them (torch_file.h says which).
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(TensorFile&&) = default;
  TensorFile& operator=(TensorFile&&) = default;

  const std::string& source() const { return source_; }
  // The entries in the order of their names.
  std::span<const SafetensorsEntry> entries() const { return entries_; }
  const SafetensorsEntry* find(const std::string& name) const;  // nullptr: there is none

  // The numbers of one of the entries: exactly for F32, F16 and BF16, rounded to the nearest for
  // F64. Throws DataError for other types.
  virtual std::vector<float> floats(const SafetensorsEntry& entry) const = 0;
  // The same, always exact.
  virtual std::vector<double> doubles(const SafetensorsEntry& entry) const = 0;

 protected:
  TensorFile() = default;
  std::string source_;
  std::vector<SafetensorsEntry> entries_;
};

class SafetensorsFile : public TensorFile {
 public:
  // Reads and checks the header. Throws DataError when the file is missing, truncated, or breaks
  // the format (one line that names file, array and rule), and IoError when it may not be read.
  explicit SafetensorsFile(const std::filesystem::path& path);

  // Texts that are stored beside the arrays.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // Whether the file has the digest that save_safetensors() writes. The format itself has none, so
  // that damage to the numbers of other files goes unnoticed.
  bool has_digest() const;
  // Reads the whole file where it has a digest; throws DataError where that is wrong.
  void check_digest() const;

  std::vector<float> floats(const SafetensorsEntry& entry) const override;
  std::vector<double> doubles(const SafetensorsEntry& entry) const override;
  // The numbers of an array of I64.
  std::vector<std::int64_t> int64s(const SafetensorsEntry& entry) const;

 private:
  template <class T>
  std::vector<T> raw(const SafetensorsEntry& entry) const;
  [[noreturn]] void refuse_type(const SafetensorsEntry& entry, const char* wanted) const;

  FileHandle file_;
  std::uint64_t data_start_ = 0;
  std::map<std::string, std::string> metadata_;
};

// An array to be written; the bytes are borrowed.
struct SafetensorsArray {
  std::string name;
  std::string type;  // one of the types above
  std::vector<Index> shape;
  std::span<const std::byte> bytes;
};

// Writes a file, completely or not at all, with the digest of everything that is in it among its
// metadata; equal content gives equal bytes. Throws InternalError on
// bytes that do not fill a shape or on two arrays with the same name, and IoError as write_file
// does.
void save_safetensors(const std::filesystem::path& path, std::vector<SafetensorsArray> arrays,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace saccade
