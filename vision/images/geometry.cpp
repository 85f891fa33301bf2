#include "vision/images/geometry.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "vision/images/mat_view.h"
#include "vision/images/resample.h"

namespace saccade {

namespace {

// Shrinks by area average first, and then enlarges linearly. An image may need one of these in each
// direction, and neither method is good at the other's task.
void resize_area(const cv::Mat& from, cv::Mat& to, cv::Size size) {
  const cv::Size middle(std::min(from.cols, size.width), std::min(from.rows, size.height));
  if (middle == size) return cv::resize(from, to, size, 0, 0, cv::INTER_AREA);
  if (middle == from.size()) return cv::resize(from, to, size, 0, 0, cv::INTER_LINEAR);
  cv::Mat shrunk;
  cv::resize(from, shrunk, middle, 0, 0, cv::INTER_AREA);
  cv::resize(shrunk, to, size, 0, 0, cv::INTER_LINEAR);
}

void resize(const cv::Mat& from, cv::Mat& to, Interpolation interpolation) {
  if (interpolation == Interpolation::kArea) return resize_area(from, to, to.size());
  resample(from, to, interpolation, {.rows = to.rows, .cols = to.cols});
}

// A part of the resized picture.
void resize_part(const cv::Mat& from, cv::Mat& to, Interpolation interpolation,
                 const ResizedPart& part) {
  if (interpolation != Interpolation::kArea) return resample(from, to, interpolation, part);
  constexpr Index kMostPixels = 1 << 26;
  cv::Mat whole;
  if (part.rows <= kMostPixels / part.cols) {
    resize_area(from, whole, cv::Size(static_cast<int>(part.cols), static_cast<int>(part.rows)));
    const cv::Rect place(static_cast<int>(part.left), static_cast<int>(part.top), to.cols, to.rows);
    return whole(place).copyTo(to);
  }
  // Of a very long picture only the part is enlarged.
  resize_area(from, whole,
              cv::Size(static_cast<int>(std::min<Index>(from.cols, part.cols)),
                       static_cast<int>(std::min<Index>(from.rows, part.rows))));
  resample(whole, to, Interpolation::kBilinear, part);
}

bool cuts_behind(ResizeMode mode) {
  return mode == ResizeMode::kCenter || mode == ResizeMode::kCenterEven ||
         mode == ResizeMode::kSquashCenter;
}

// The part of a picture that is the centre of the picture once it is resized.
Rect centre_of(Index height, Index width, const PrepareOptions& options) {
  const Index least = std::max(options.height, options.width);
  Index side = options.side > 0 ? options.side : std::min(options.height, options.width);
  GridSize whole{side, side};
  for (;; ++side) {
    whole = {side, side};
    if (options.mode != ResizeMode::kSquashCenter) {
      // As packages have it: the long side is rounded down.
      if (width <= height)
        whole.rows = side * height / width;
      else
        whole.cols = side * width / height;
    }
    if (side >= least || (whole.rows >= options.height && whole.cols >= options.width)) break;
  }
  const auto start = [&](Index room) {
    if (options.mode != ResizeMode::kCenterEven || room % 4 == 0 || room % 2 == 0) return room / 2;
    return room % 4 == 1 ? room / 2 : room / 2 + 1;  // the half is rounded to the even number
  };
  const double across = static_cast<double>(width) / static_cast<double>(whole.cols),
               down = static_cast<double>(height) / static_cast<double>(whole.rows);
  return {across * static_cast<double>(start(whole.cols - options.width)),
          down * static_cast<double>(start(whole.rows - options.height)),
          across * static_cast<double>(options.width), down * static_cast<double>(options.height)};
}

// One axis of a picture that is resized: what of it the network sees, beginning at `from`, of which
// the pixels [first, first + count) are within the picture.
struct Cut {
  Index size, from, first;
  int count;

  Cut(Index original, double seen_from, double seen_length, int input)
      : size(std::max<Index>(1, std::lround(static_cast<double>(original * input) / seen_length))),
        from(std::lround(seen_from * static_cast<double>(size) / static_cast<double>(original))),
        first(std::clamp<Index>(from, 0, size - 1)),
        count(static_cast<int>(std::clamp<Index>(from + input, first + 1, size) - first)) {}
  // The place of a pixel of the input among these; of those beyond the border, that at the border.
  int place(int at) const {
    return static_cast<int>(std::clamp<Index>(from + at - first, 0, count - 1));
  }
};

// Resizes the picture, and cuts what the network sees.
void render_cut(const cv::Mat& whole, const Geometry& geometry, Interpolation interpolation,
                cv::Mat& out) {
  const Rect& seen = geometry.seen;
  const Cut x(geometry.original_width, seen.x, seen.width, out.cols),
      y(geometry.original_height, seen.y, seen.height, out.rows);
  cv::Mat part(y.count, x.count, CV_8UC3);
  resize_part(whole, part, interpolation,
              {.rows = y.size, .cols = x.size, .top = y.first, .left = x.first});
  for (int r = 0; r < out.rows; ++r)
    for (int c = 0; c < out.cols; ++c)
      out.at<cv::Vec3b>(r, c) = part.at<cv::Vec3b>(y.place(r), x.place(c));
}

// One axis of a padded picture: its pixels [from, from + length) fall on the pixels [at, at + size)
// of the input.
struct Side {
  int from, length, at, size;
};

Side padded_side(Index original, double seen_from, double seen_length, Index input) {
  const double scale = static_cast<double>(input) / seen_length;
  const auto edge = [&](double pixel) {
    return std::clamp<Index>(std::lround((pixel - seen_from) * scale), 0, input);
  };
  const Index begin = std::min(edge(0), input - 1);
  const Index end = std::max(edge(static_cast<double>(original)), begin + 1);
  const auto pixel = [&](Index place) {
    return std::clamp<Index>(std::lround(seen_from + static_cast<double>(place) / scale), 0,
                             original);
  };
  const Index from = std::min(pixel(begin), original - 1);
  const Index to = std::max(pixel(end), from + 1);
  return {static_cast<int>(from), static_cast<int>(to - from), static_cast<int>(begin),
          static_cast<int>(end - begin)};
}

// Resizes the picture by itself and puts padding around it, so that the colours of the two never
// mix.
void render_padded(const cv::Mat& whole, const Geometry& geometry, const PaddingColour& padding,
                   Interpolation interpolation, cv::Mat& out) {
  const Rect& seen = geometry.seen;
  const Side x = padded_side(geometry.original_width, seen.x, seen.width, out.cols);
  const Side y = padded_side(geometry.original_height, seen.y, seen.height, out.rows);
  out.setTo(cv::Scalar(padding[0], padding[1], padding[2]));
  cv::Mat target = out(cv::Rect(x.at, y.at, x.size, y.size));
  resize(whole(cv::Rect(x.from, y.from, x.length, y.length)), target, interpolation);
}

// One axis of a padded picture: the range of the original that the input spans.
struct Span {
  double from, length;
};
Span padded_span(Index original, Index input, double scale) {
  const Index size =
      std::clamp<Index>(std::lround(static_cast<double>(original) * scale), 1, input);
  // Size of an input pixel, in pixels of the original.
  const double pixel = static_cast<double>(original) / static_cast<double>(size);
  const Index before = (input - size) / 2;
  return {0 - pixel * static_cast<double>(before), pixel * static_cast<double>(input)};
}

// The range of one axis of the input that shows the picture, in shares, from the range of the
// original that the input spans.
struct Shares {
  double from, to;
};
Shares shown(Index original, double seen_from, double seen_length, bool mirrored) {
  const Shares plain{
      std::clamp(-seen_from / seen_length, 0.0, 1.0),
      std::clamp((static_cast<double>(original) - seen_from) / seen_length, 0.0, 1.0)};
  return mirrored ? Shares{1 - plain.to, 1 - plain.from} : plain;
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
  if (cuts_behind(options.mode)) {
    geometry.seen = centre_of(height, width, options);
    return geometry;
  }
  const double down = static_cast<double>(options.height) / static_cast<double>(height);
  const double across = static_cast<double>(options.width) / static_cast<double>(width);
  // Whole pixels of the input (pad) or of the original (squash, crop), so that exactly what is
  // shown is recorded.
  if (options.mode == ResizeMode::kPad) {
    const double least = std::min(down, across);
    const Span x = padded_span(width, options.width, least);
    const Span y = padded_span(height, options.height, least);
    geometry.seen = {x.from, y.from, x.length, y.length};
    return geometry;
  }
  const double scale = std::max(down, across);
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

Image render_input(const Image& image, const Geometry& geometry, const PaddingColour& padding,
                   Interpolation interpolation) {
  quiet_opencv();
  SACCADE_CHECK(image.height == geometry.original_height && image.width == geometry.original_width,
                "[prepare] the geometry is of another image; got ", image.height, "x", image.width);
  Image out(geometry.input_height, geometry.input_width);
  cv::Mat target = mat_view(out);
  if (geometry.mode == ResizeMode::kPad) {
    render_padded(mat_view(image), geometry, padding, interpolation, target);
    if (geometry.mirrored) cv::flip(target, target, 1);
    return out;
  }
  if (cuts_behind(geometry.mode)) {
    render_cut(mat_view(image), geometry, interpolation, target);
    if (geometry.mirrored) cv::flip(target, target, 1);
    return out;
  }
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
  resize(part, target, interpolation);
  if (geometry.mirrored) cv::flip(target, target, 1);
  return out;
}

Prepared prepare(const Image& image, const PrepareOptions& options) {
  const Geometry geometry = plan_geometry(image.height, image.width, options);
  return {render_input(image, geometry, options.padding, options.interpolation), geometry};
}

PictureArea picture_area(const Geometry& geometry) {
  if (geometry.mode != ResizeMode::kPad) return {.places = geometry.places};
  const Rect& seen = geometry.seen;
  const Shares x = shown(geometry.original_width, seen.x, seen.width, geometry.mirrored);
  const Shares y = shown(geometry.original_height, seen.y, seen.height, false);
  return {.left = x.from, .top = y.from, .right = x.to, .bottom = y.to};
}

CellBlock picture_cells(const PictureArea& area, const GridSize& grid) {
  SACCADE_CHECK(grid.rows > 0 && grid.cols > 0, "[picture_cells] the grid is empty");
  if (area.places)
    return {.top = 0, .left = 0, .bottom = 1, .right = std::min(area.places->count, grid.cols)};
  constexpr double kRounding = 1e-6;  // of a cell: overlaps up to this come from rounding
  const auto first = [](double share, Index cells) {
    const double place = share * static_cast<double>(cells);
    return std::min(static_cast<Index>(std::floor(place + kRounding)), cells - 1);
  };
  const auto end = [](double share, Index cells, Index after) {
    const double place = share * static_cast<double>(cells);
    return std::max(static_cast<Index>(std::ceil(place - kRounding)), after + 1);
  };
  CellBlock block{.top = first(area.top, grid.rows), .left = first(area.left, grid.cols)};
  block.bottom = end(area.bottom, grid.rows, block.top);
  block.right = end(area.right, grid.cols, block.left);
  return block;
}

Rect cell_box(const Geometry& geometry, const GridSize& grid, Index cell) {
  SACCADE_CHECK(grid.rows > 0 && grid.cols > 0 && cell >= 0 && cell < grid.cells(),
                "[cell_box] cell ", cell, " is not on a grid of ", grid.rows, "x", grid.cols);
  if (geometry.places) {
    const std::vector<RegionBox>& boxes = geometry.places->boxes;
    if (cell >= std::ssize(boxes)) return {};
    const RegionBox& box = boxes[static_cast<std::size_t>(cell)];
    const auto width = static_cast<double>(geometry.original_width),
               height = static_cast<double>(geometry.original_height);
    return {static_cast<double>(box.left) * width, static_cast<double>(box.top) * height,
            static_cast<double>(box.width()) * width, static_cast<double>(box.height()) * height};
  }
  const Index row = cell / grid.cols;
  const Index col = geometry.mirrored ? grid.cols - 1 - cell % grid.cols : cell % grid.cols;
  const double width = geometry.seen.width / static_cast<double>(grid.cols);
  const double height = geometry.seen.height / static_cast<double>(grid.rows);
  return {geometry.seen.x + width * static_cast<double>(col),
          geometry.seen.y + height * static_cast<double>(row), width, height};
}

Index cell_at(const Geometry& geometry, const GridSize& grid, double x, double y) {
  SACCADE_CHECK(grid.rows > 0 && grid.cols > 0, "[cell_at] the grid is empty");
  const double across = (x - geometry.seen.x) / geometry.seen.width;
  const double down = (y - geometry.seen.y) / geometry.seen.height;
  if (!(across >= 0 && across < 1 && down >= 0 && down < 1)) return -1;
  const Index col =
      std::min(grid.cols - 1, static_cast<Index>(across * static_cast<double>(grid.cols)));
  const Index row =
      std::min(grid.rows - 1, static_cast<Index>(down * static_cast<double>(grid.rows)));
  return row * grid.cols + (geometry.mirrored ? grid.cols - 1 - col : col);
}

void add_mask(const PictureArea& area, const GridSize& grid, std::vector<std::uint8_t>& mask) {
  const CellBlock block = picture_cells(area, grid);
  for (Index row = 0; row < grid.rows; ++row)
    for (Index col = 0; col < grid.cols; ++col) mask.push_back(block.has(row, col) ? 1 : 0);
}

PaddingColour padding_of(const Normalization& normalization) {
  PaddingColour colour{};
  for (std::size_t c = 0; c < 3; ++c)
    colour[c] =
        static_cast<std::uint8_t>(std::lround(std::clamp(normalization.mean[c], 0.0F, 255.0F)));
  return colour;
}

void pixels_to_input(const Image& image, const Normalization& normalization, Real* out) {
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    for (std::size_t c = 0; c < 3; ++c)
      out[i + c] =
          (static_cast<Real>(image.rgb[i + c]) - static_cast<Real>(normalization.mean[c])) *
          static_cast<Real>(normalization.scale[c]);
}

}  // namespace saccade
