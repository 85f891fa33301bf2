// Small pictures for the tests of vision.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "vision/images/image.h"

namespace saccade {

inline void write_bytes(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// A picture that differs from all of its rotations and mirror images. It is smooth, so that JPEG
// changes it little.
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

// The mean absolute difference of two pictures; a large number when their sizes differ.
inline double difference(const Image& a, const Image& b) {
  if (a.height != b.height || a.width != b.width || a.rgb.empty()) return 1e9;
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}

}  // namespace saccade
