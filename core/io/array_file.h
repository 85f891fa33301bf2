// Arrays of numbers in the files by which Python's libraries exchange them: numpy (.npy, .npz),
// HDF5, safetensors and what torch.save wrote. A file of unknown origin is safe to read: nothing in
// it is run, and sizes are checked before memory is allocated for them. The HDF5 library runs in
// another process, because it crashes on some damaged files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

struct ArrayInfo {
  std::string name;            // "" of the only array of a file without names
  std::string type;            // F16, F32, F64, I8 to I64, U8 to U64, BOOL, BF16; "text" for texts
  std::vector<Index> shape{};  // empty: one number

  Index count() const;       // of its numbers
  std::string text() const;  // "F32 [7, 8]"
};

class ArrayFile {
 public:
  virtual ~ArrayFile() = default;

  const std::string& source() const { return source_; }  // its path
  // The names of the arrays, in byte order.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const;
  // What an array is. All functions may be called from several threads; all throw DataError, which
  // names file and array, where something is damaged or of a kind that is not read, and IoError.
  virtual ArrayInfo info(const std::string& name) const = 0;
  // The numbers of an array in the order of its axes, or those of `rows` of its first axis from
  // `first` on (all others: rows < 0). Also throws where they are texts.
  std::vector<float> floats(const ArrayInfo& array, Index first = 0, Index rows = -1) const;
  std::vector<double> doubles(const ArrayInfo& array, Index first = 0, Index rows = -1) const;
  // A list of texts; whole numbers as decimal texts.
  std::vector<std::string> texts(const ArrayInfo& array) const;

 protected:
  // The bytes of those rows, little-endian and in the order of the axes.
  virtual std::vector<std::byte> bytes(const ArrayInfo& array, Index first, Index rows) const = 0;
  virtual std::vector<std::string> own_texts(const ArrayInfo& array) const;
  std::string at(const std::string& name) const;  // "FILE: array 'name'"

  std::string source_;
  std::vector<std::string> names_;

 private:
  std::vector<std::byte> checked_bytes(const ArrayInfo& array, Index first, Index& rows) const;
};

// Opens a file by its content, not by its name. Throws DataError where it is none of these, and
// IoError where it may not be read.
std::unique_ptr<ArrayFile> open_arrays(const std::filesystem::path& path);

// The file (.npy) of an array of 32-bit floats, in the order of its axes.
std::string numpy_file(std::span<const Index> shape, std::span<const float> values);

// Its parts: numpy's forms, and HDF5.
std::unique_ptr<ArrayFile> open_numpy(const std::filesystem::path& path);
std::unique_ptr<ArrayFile> open_hdf5(const std::filesystem::path& path);

}  // namespace saccade
