// Arrays that numpy.savez wrote.
#pragma once

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/real.h"
#include "tests/support/catch.h"

namespace saccade::test {

struct NumpyArray {
  std::vector<Index> shape;
  std::vector<float> values;
};

// All arrays of 32-bit floats, bytes or 64-bit integers in an archive without compression, in C
// order. Its files stand one after the other, each behind a header of 30 bytes, its name and some
// bytes more.
inline std::map<std::string, NumpyArray> read_npz(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto number = [&](std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, count);
    return static_cast<std::size_t>(value);
  };
  std::map<std::string, NumpyArray> out;
  for (std::size_t at = 0; bytes.compare(at, 4, "PK\x03\x04") == 0;) {
    const std::size_t name_bytes = number(at + 26, 2), extra = number(at + 28, 2);
    std::string name = bytes.substr(at + 30, name_bytes);
    name.resize(name.size() - 4);  // .npy
    const std::size_t array = at + 30 + name_bytes + extra;
    const std::size_t header = number(array + 8, 2);
    const std::string text = bytes.substr(array + 10, header);
    const bool bytes_only = text.find("'|u1'") != std::string::npos;
    const bool integers = text.find("'<i8'") != std::string::npos;
    REQUIRE((bytes_only || integers || text.find("'<f4'") != std::string::npos));
    NumpyArray& made = out[name];
    std::stringstream shape(text.substr(text.find("'shape': (") + 10));
    std::size_t count = 1;
    for (Index extent = 0; shape >> extent; shape.ignore()) {
      made.shape.push_back(extent);
      count *= static_cast<std::size_t>(extent);
      if (shape.peek() == ')') break;
    }
    made.values.resize(count);
    const std::size_t data = array + 10 + header;
    const std::size_t length = bytes_only ? count : integers ? 8 * count : 4 * count;
    REQUIRE(data + length <= bytes.size());
    if (bytes_only)
      for (std::size_t i = 0; i < count; ++i)
        made.values[i] = static_cast<unsigned char>(bytes[data + i]);
    else if (integers)
      for (std::size_t i = 0; i < count; ++i)
        made.values[i] = static_cast<float>(number(data + 8 * i, 8));
    else
      std::memcpy(made.values.data(), bytes.data() + data, length);
    at = data + length;
  }
  REQUIRE_FALSE(out.empty());
  return out;
}

}  // namespace saccade::test
