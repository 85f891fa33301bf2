#include "vision/overlay_panel.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "vision/mat_view.h"

namespace saccade {

namespace {

constexpr float kUnseenLight = 0.35f;  // of what the network did not look at
constexpr float kGreyShare = 0.5f;     // so that colour under the heat is not taken for heat
constexpr float kColdVeil = 0.35f;     // how much of the colour map covers the photo, at weight 0
constexpr float kHotVeil = 0.7f;       // and at full heat

// Where one row or column of the panel lies between the cells of the grid.
struct Tap {
  bool seen = false;
  std::array<Index, 4> cell{};
  std::array<float, 4> weight{};
};

// Catmull-Rom weights (Keys, 1981, a = -1/2) between samples 1 and 2 of four, at t in [0, 1).
std::array<float, 4> cubic(float t) {
  const float t2 = t * t, t3 = t2 * t;
  return {(-t3 + 2 * t2 - t) / 2, (3 * t3 - 5 * t2 + 2) / 2, (-3 * t3 + 4 * t2 + t) / 2,
          (t3 - t2) / 2};
}

struct Axis {
  Index pixels = 0, original = 0, cells = 0;
  Index first = 0, end = 0;  // of the cells that show some of the picture: no others are drawn
  double seen_from = 0, seen_length = 0;
  bool mirrored = false;
};

// One tap a pixel: pixel centres in the panel, through the original, to cell centres in the grid.
std::vector<Tap> make_taps(const Axis& axis, HeatStyle style) {
  std::vector<Tap> taps(static_cast<std::size_t>(axis.pixels));
  const double step = static_cast<double>(axis.original) / static_cast<double>(axis.pixels);
  const auto cells = static_cast<double>(axis.cells);
  for (std::size_t i = 0; i < taps.size(); ++i) {
    const double at = ((static_cast<double>(i) + 0.5) * step - axis.seen_from) / axis.seen_length;
    if (!(at >= 0 && at < 1)) continue;
    taps[i].seen = true;
    const double position = (axis.mirrored ? 1 - at : at) * cells;
    if (style == HeatStyle::kCells) {
      taps[i].cell.fill(std::clamp<Index>(static_cast<Index>(position), axis.first, axis.end - 1));
      taps[i].weight = {1, 0, 0, 0};
      continue;
    }
    const double below = std::floor(position - 0.5);
    taps[i].weight = cubic(static_cast<float>(position - 0.5 - below));
    for (std::size_t k = 0; k < 4; ++k)
      taps[i].cell[k] = std::clamp<Index>(static_cast<Index>(below) + static_cast<Index>(k) - 1,
                                          axis.first, axis.end - 1);
  }
  return taps;
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 255.f)));
}

void darken(std::uint8_t* pixel) {
  for (int c = 0; c < 3; ++c) pixel[c] = to_byte(kUnseenLight * pixel[c]);
}

// `heat` in [0, 1].
void veil(std::uint8_t* pixel, float heat, const std::array<Colour, 256>& colours) {
  const Colour& colour = colours[static_cast<std::size_t>(std::lround(heat * 255))];
  const float grey = 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
  const float cover = kColdVeil + (kHotVeil - kColdVeil) * heat;
  for (std::size_t c = 0; c < 3; ++c) {
    const float base = pixel[c] + kGreyShare * (grey - pixel[c]);
    pixel[c] = to_byte(base + cover * (colour[c] - base));
  }
}

// A light line inside a dark one: visible on any ground.
void outline_cell(Image& picture, const Overlay& overlay, Index cell) {
  const Rect box = cell_box(overlay.geometry, overlay.rows, overlay.cols, cell);
  const double across =
      static_cast<double>(picture.width) / static_cast<double>(overlay.image->width);
  const double down =
      static_cast<double>(picture.height) / static_cast<double>(overlay.image->height);
  // What of a cell is padding is not on the picture.
  const int right = static_cast<int>(picture.width) - 1;
  const int bottom = static_cast<int>(picture.height) - 1;
  const cv::Point first(std::max(0, cvRound(box.x * across)), std::max(0, cvRound(box.y * down)));
  const cv::Point last(std::min(right, cvRound(box.right() * across) - 1),
                       std::min(bottom, cvRound(box.bottom() * down) - 1));
  const int line = std::max(1, static_cast<int>(std::min(picture.width, picture.height) / 300));
  cv::Mat mat = mat_view(picture);
  const auto frame = [&](int inset, const cv::Scalar& colour) {
    for (int i = inset; i < inset + line; ++i) {
      const cv::Point a = first + cv::Point(i, i), b = last - cv::Point(i, i);
      if (a.x <= b.x && a.y <= b.y) cv::rectangle(mat, a, b, colour, 1);
    }
  };
  frame(0, cv::Scalar(0, 0, 0));
  frame(line, cv::Scalar(255, 255, 255));
}

}  // namespace

void check_overlay(const Overlay& overlay, const OverlayOptions& options) {
  const Geometry& geometry = overlay.geometry;
  SACCADE_CHECK(overlay.image && !overlay.image->empty(), "[overlay] there is no image");
  SACCADE_CHECK(overlay.image->height == geometry.original_height &&
                    overlay.image->width == geometry.original_width,
                "[overlay] the geometry is of an image of ", geometry.original_height, "x",
                geometry.original_width, "; got ", overlay.image->height, "x",
                overlay.image->width);
  SACCADE_CHECK(
      overlay.rows > 0 && overlay.cols > 0 && geometry.seen.width > 0 && geometry.seen.height > 0,
      "[overlay] the grid or the seen part is empty");
  const Index regions = overlay.rows * overlay.cols;
  for (const OverlayWord& word : overlay.words) {
    SACCADE_CHECK(static_cast<Index>(word.weights.size()) == regions, "[overlay] '", word.text,
                  "' has ", word.weights.size(), " weights for a grid of ", overlay.rows, "x",
                  overlay.cols);
    for (const float weight : word.weights)
      SACCADE_CHECK(std::isfinite(weight), "[overlay] a weight of '", word.text,
                    "' is not a finite number");
    SACCADE_CHECK(!word.sampled || (*word.sampled >= 0 && *word.sampled < regions), "[overlay] '",
                  word.text, "' sampled a cell that is not on the grid");
  }
  if (!(options.fixed_max > 0 && std::isfinite(options.fixed_max)))
    throw UsageError(str("the weight of full heat must be positive; got ", options.fixed_max));
}

double full_heat(const OverlayWord& word, const OverlayOptions& options, double shared) {
  if (options.scale == HeatScale::kFixed) return options.fixed_max;
  if (options.scale == HeatScale::kShared) return shared;
  return std::max(0.f, *std::max_element(word.weights.begin(), word.weights.end()));
}

void paint_heat(Image& picture, const Overlay& overlay, const OverlayWord& word,
                const std::array<Colour, 256>& colours, const PanelOptions& options) {
  const Geometry& geometry = overlay.geometry;
  const CellBlock cells = picture_cells(picture_area(geometry), overlay.rows, overlay.cols);
  const auto across = make_taps({.pixels = picture.width,
                                 .original = geometry.original_width,
                                 .cells = overlay.cols,
                                 .first = cells.left,
                                 .end = cells.right,
                                 .seen_from = geometry.seen.x,
                                 .seen_length = geometry.seen.width,
                                 .mirrored = geometry.mirrored},
                                options.style);
  const auto down = make_taps({.pixels = picture.height,
                               .original = geometry.original_height,
                               .cells = overlay.rows,
                               .first = cells.top,
                               .end = cells.bottom,
                               .seen_from = geometry.seen.y,
                               .seen_length = geometry.seen.height},
                              options.style);
  const float scale = options.full_heat > 0 ? static_cast<float>(1 / options.full_heat) : 0;
  std::vector<float> line(static_cast<std::size_t>(overlay.cols));  // one row between grid rows
  for (Index y = 0; y < picture.height; ++y) {
    const Tap& row = down[static_cast<std::size_t>(y)];
    for (std::size_t j = 0; row.seen && j < line.size(); ++j) {
      line[j] = 0;
      for (std::size_t k = 0; k < 4; ++k)
        line[j] +=
            row.weight[k] * word.weights[static_cast<std::size_t>(row.cell[k] * overlay.cols) + j];
    }
    for (Index x = 0; x < picture.width; ++x) {
      const Tap& column = across[static_cast<std::size_t>(x)];
      if (!row.seen || !column.seen) {
        darken(picture.pixel(y, x));
        continue;
      }
      float weight = 0;
      for (std::size_t k = 0; k < 4; ++k)
        weight += column.weight[k] * line[static_cast<std::size_t>(column.cell[k])];
      veil(picture.pixel(y, x), std::clamp(weight * scale, 0.f, 1.f), colours);
    }
  }
  if (word.sampled) outline_cell(picture, overlay, *word.sampled);
}

double largest_weight(const Overlay& overlay) {
  float largest = 0;
  for (const OverlayWord& word : overlay.words)
    for (const float weight : word.weights) largest = std::max(largest, weight);
  return static_cast<double>(largest);
}

Image draw_panel(const Overlay& overlay, Index word, const OverlayOptions& options) {
  check_overlay(overlay, options);
  SACCADE_CHECK(word >= 0 && word < static_cast<Index>(overlay.words.size()),
                "[overlay] there is no word ", word);
  const OverlayWord& chosen = overlay.words[static_cast<std::size_t>(word)];
  Image picture = *overlay.image;
  paint_heat(
      picture, overlay, chosen, colour_table(options.colours),
      {.style = options.style, .full_heat = full_heat(chosen, options, largest_weight(overlay))});
  return picture;
}

}  // namespace saccade
