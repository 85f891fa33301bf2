#include "vision/images/film_strip.h"

#include <algorithm>

#include "core/base/error.h"
#include "vision/images/geometry.h"

namespace saccade {

namespace {

constexpr Index kMostFrames = 64, kMostWidth = 8192;

// Whether one name is before another: digits count as numbers, so that 9.png is before 10.png.
bool before(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [&](const std::string& text, std::size_t& at) {
      while (at + 1 < text.size() && text[at] == '0' && digit(text[at + 1])) ++at;
      const std::size_t from = at;
      while (at < text.size() && digit(text[at])) ++at;
      return text.substr(from, at - from);
    };
    const std::string one = number(a, i), other = number(b, j);
    if (one != other) return one.size() != other.size() ? one.size() < other.size() : one < other;
  }
  return a.size() - i < b.size() - j;
}

}  // namespace

Image film_strip(std::span<const Image> frames) {
  SACCADE_CHECK(!frames.empty() && !frames[0].empty(), "[film_strip] there are no frames");
  const Index height = frames[0].height, width = frames[0].width;
  Image out(height, width * std::ssize(frames), 0);
  for (std::size_t t = 0; t < frames.size(); ++t) {
    SACCADE_CHECK(frames[t].height == height && frames[t].width == width, "[film_strip] frame ", t,
                  " is ", frames[t].height, "x", frames[t].width, ", and the first ", height, "x",
                  width);
    for (Index y = 0; y < height; ++y)
      std::copy_n(frames[t].pixel(y, 0), 3 * width, out.pixel(y, static_cast<Index>(t) * width));
  }
  return out;
}

Image read_film_strip(std::vector<std::string> frames, const MessageListener& listener,
                      Index max_pixels) {
  SACCADE_CHECK(!frames.empty(), "[film_strip] there are no frames");
  std::sort(frames.begin(), frames.end(), before);
  const Index all = std::ssize(frames), count = std::min(all, kMostFrames);
  std::vector<Image> taken;
  for (Index t = 0; t < count; ++t) {
    Image frame = read_image(frames[static_cast<std::size_t>((2 * t + 1) * all / (2 * count))],
                             listener, max_pixels);
    ImageSize size{.height = frame.height, .width = frame.width};
    if (const Index most = kMostWidth / count; t == 0 && size.width > most) {
      size.height = std::max<Index>(1, size.height * most / size.width);
      size.width = most;
    }
    if (t > 0) size = {.height = taken[0].height, .width = taken[0].width};
    if (size != ImageSize{.height = frame.height, .width = frame.width})
      frame = prepare(frame, {.height = size.height, .width = size.width}).image;
    taken.push_back(std::move(frame));
  }
  return film_strip(taken);
}

}  // namespace saccade
