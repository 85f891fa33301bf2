#include "vision/geometry.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "vision/mat_view.h"

namespace saccade {

namespace {

// Shrinks first, by area average, then grows what is left, linearly: an image may do one in each
// direction, and neither method is good at the other's work.
void resize(const cv::Mat& from, cv::Mat& to, cv::Size size) {
  const cv::Size middle(std::min(from.cols, size.width), std::min(from.rows, size.height));
  if (middle == size) return cv::resize(from, to, size, 0, 0, cv::INTER_AREA);
  if (middle == from.size()) return cv::resize(from, to, size, 0, 0, cv::INTER_LINEAR);
  cv::Mat shrunk;
  cv::resize(from, shrunk, middle, 0, 0, cv::INTER_AREA);
  cv::resize(shrunk, to, size, 0, 0, cv::INTER_LINEAR);
}

}  // namespace

Geometry plan_geometry(Index height, Index width, const PrepareOptions& options) {
  SACCADE_CHECK(height > 0 && width > 0, "[prepare] the image is empty");
  SACCADE_CHECK(options.height > 0 && options.width > 0,
                "[prepare] the input size must be positive; got ", options.height, "x",
                options.width);
  Geometry geometry{.original_height = height,
                    .original_width = width,
                    .mode = options.mode,
                    .seen = {0, 0, static_cast<double>(width), static_cast<double>(height)},
                    .input_height = options.height,
                    .input_width = options.width};
  if (options.mode == ResizeMode::kSquash) return geometry;
  // Whole pixels, so that what is cut out is exactly what is recorded.
  const double scale = std::max(static_cast<double>(options.height) / static_cast<double>(height),
                                static_cast<double>(options.width) / static_cast<double>(width));
  const auto part = [&](Index input, Index original) {
    const Index pixels = std::lround(static_cast<double>(input) / scale);
    return static_cast<double>(std::clamp<Index>(pixels, 1, original));
  };
  geometry.seen.width = part(options.width, width);
  geometry.seen.height = part(options.height, height);
  geometry.seen.x = std::floor((static_cast<double>(width) - geometry.seen.width) / 2);
  geometry.seen.y = std::floor((static_cast<double>(height) - geometry.seen.height) / 2);
  return geometry;
}

Image render_input(const Image& image, const Geometry& geometry) {
  quiet_opencv();
  SACCADE_CHECK(image.height == geometry.original_height && image.width == geometry.original_width,
                "[prepare] the geometry is of another image; got ", image.height, "x", image.width);
  const int left = static_cast<int>(std::lround(geometry.seen.x));
  const int top = static_cast<int>(std::lround(geometry.seen.y));
  const int right = static_cast<int>(std::lround(geometry.seen.right()));
  const int bottom = static_cast<int>(std::lround(geometry.seen.bottom()));
  SACCADE_CHECK(right > left && bottom > top, "[prepare] the seen rectangle is empty");
  const cv::Mat whole = mat_view(image);
  const cv::Rect wanted(left, top, right - left, bottom - top);
  const cv::Rect inside = wanted & cv::Rect(0, 0, whole.cols, whole.rows);
  SACCADE_CHECK(!inside.empty(), "[prepare] the seen rectangle lies outside the image");
  cv::Mat part = whole(inside);
  if (inside != wanted)
    cv::copyMakeBorder(whole(inside), part, inside.y - top, bottom - inside.br().y, inside.x - left,
                       right - inside.br().x, cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
  Image out(geometry.input_height, geometry.input_width);
  cv::Mat target = mat_view(out);
  resize(part, target, target.size());
  if (geometry.mirrored) cv::flip(target, target, 1);
  return out;
}

Prepared prepare(const Image& image, const PrepareOptions& options) {
  const Geometry geometry = plan_geometry(image.height, image.width, options);
  return {render_input(image, geometry), geometry};
}

Rect cell_box(const Geometry& geometry, Index rows, Index cols, Index cell) {
  SACCADE_CHECK(rows > 0 && cols > 0 && cell >= 0 && cell < rows * cols, "[cell_box] cell ", cell,
                " is not on a grid of ", rows, "x", cols);
  const Index row = cell / cols;
  const Index col = geometry.mirrored ? cols - 1 - cell % cols : cell % cols;
  const double width = geometry.seen.width / static_cast<double>(cols);
  const double height = geometry.seen.height / static_cast<double>(rows);
  return {geometry.seen.x + width * static_cast<double>(col),
          geometry.seen.y + height * static_cast<double>(row), width, height};
}

Index cell_at(const Geometry& geometry, Index rows, Index cols, double x, double y) {
  SACCADE_CHECK(rows > 0 && cols > 0, "[cell_at] the grid is empty");
  const double across = (x - geometry.seen.x) / geometry.seen.width;
  const double down = (y - geometry.seen.y) / geometry.seen.height;
  if (!(across >= 0 && across < 1 && down >= 0 && down < 1)) return -1;
  const Index col = std::min(cols - 1, static_cast<Index>(across * static_cast<double>(cols)));
  const Index row = std::min(rows - 1, static_cast<Index>(down * static_cast<double>(rows)));
  return row * cols + (geometry.mirrored ? cols - 1 - col : col);
}

void pixels_to_input(const Image& image, const Normalization& normalization, Real* out) {
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    for (std::size_t c = 0; c < 3; ++c)
      out[i + c] =
          (static_cast<Real>(image.rgb[i + c]) - static_cast<Real>(normalization.mean[c])) *
          static_cast<Real>(normalization.scale[c]);
}

}  // namespace saccade
