// Small pictures and scratch folders for the tests of vision.
#pragma once

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "vision/image.h"

namespace saccade {

// A folder of its own, removed at the end.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("saccade-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_bytes(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// A picture no rotation or mirroring of which is itself: smooth, so that JPEG keeps it.
inline Image test_picture(Index height, Index width, std::uint64_t seed = 1) {
  Random random({.seed = seed, .stream = Stream::kTest});
  const double a = 2 + 2 * random.uniform(), b = 3 + 2 * random.uniform();
  Image image(height, width);
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const double u = static_cast<double>(x) / static_cast<double>(width);
      const double v = static_cast<double>(y) / static_cast<double>(height);
      std::uint8_t* pixel = image.pixel(y, x);
      pixel[0] = static_cast<std::uint8_t>(20 + 200 * u);
      pixel[1] = static_cast<std::uint8_t>(20 + 200 * v);
      pixel[2] = static_cast<std::uint8_t>(128 + 100 * std::sin(a * u + b * v));
    }
  }
  return image;
}

// Mean absolute difference of two pictures of one size; a large number when sizes differ.
inline double difference(const Image& a, const Image& b) {
  if (a.height != b.height || a.width != b.width || a.rgb.empty()) return 1e9;
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}

}  // namespace saccade
