#include "vision/drawing/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr int kScans = 4;  // scan lines per row of pixels, for filling

// The places where a horizontal line crosses loops, from the left.
void find_cuts(std::span<const Loop> loops, double y, std::vector<double>& cuts) {
  cuts.clear();
  for (const Loop& loop : loops)
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Point &a = loop[i], &b = loop[i + 1 < loop.size() ? i + 1 : 0];
      if ((a.y <= y) != (b.y <= y)) cuts.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
    }
  std::sort(cuts.begin(), cuts.end());
}

// Adds, for each pixel, the part of it that lies between two places on one scan line.
void add_stretch(double from, double to, std::vector<float>& covered) {
  for (auto x = static_cast<std::size_t>(from); x < covered.size() && static_cast<double>(x) < to;
       ++x) {
    const auto left = static_cast<double>(x);
    covered[x] +=
        static_cast<float>((std::min(to, left + 1) - std::max(from, left)) / double{kScans});
  }
}

void cover_pixel(std::uint8_t* pixel, const std::uint8_t* colour, float cover) {
  for (int c = 0; c < 3; ++c) {
    const auto below = static_cast<float>(pixel[c]);
    pixel[c] = static_cast<std::uint8_t>(
        std::lround(below + cover * (static_cast<float>(colour[c]) - below)));
  }
}

}  // namespace

void Canvas::frame(const PixelRect& area, const Colour& colour, Index line) {
  const Index across = std::min(line, area.width), down = std::min(line, area.height);
  box({area.x, area.y, area.width, down}, colour);
  box({area.x, area.bottom() - down, area.width, down}, colour);
  box({area.x, area.y, across, area.height}, colour);
  box({area.right() - across, area.y, across, area.height}, colour);
}

PixelCanvas::PixelCanvas(Index height, Index width, const TextPainter* painter)
    : page_(height, width, 255), painter_(painter) {}

void PixelCanvas::box(const PixelRect& area, const Paint& paint, const std::string&) {
  const Index right = std::min(area.right(), page_.width);
  const Index bottom = std::min(area.bottom(), page_.height);
  for (Index y = std::max<Index>(area.y, 0); y < bottom; ++y)
    for (Index x = std::max<Index>(area.x, 0); x < right; ++x)
      cover_pixel(page_.pixel(y, x), paint.colour.data(), static_cast<float>(paint.cover));
}

void PixelCanvas::text(const std::string& text, const TextAnchor& anchor) {
  if (text.empty()) return;
  SACCADE_CHECK(painter_ != nullptr, "[canvas] there is no painter of text");
  const Index width = painter_->width(text, anchor.size);
  if (anchor.reading == Reading::kUp) return text_up(text, anchor, width);
  const Index shift = anchor.align == Align::kStart    ? 0
                      : anchor.align == Align::kMiddle ? width / 2
                                                       : width;
  painter_->draw(page_, text, {anchor.x - shift, anchor.y, anchor.size, anchor.colour});
}

// Draws the text horizontally on a page of its own and then turns that page. Around the letters,
// what lies below them stays visible.
void PixelCanvas::text_up(const std::string& text, const TextAnchor& anchor, Index width) {
  const Index baseline = 2 * anchor.size;
  Image line(3 * anchor.size, width + anchor.size, 255);
  painter_->draw(line, text, {0, baseline, anchor.size, anchor.colour});
  const Index start = anchor.align == Align::kStart    ? anchor.y
                      : anchor.align == Align::kMiddle ? anchor.y + width / 2
                                                       : anchor.y + width;
  for (Index v = 0; v < line.height; ++v)
    for (Index u = 0; u < line.width; ++u) {
      const Index y = start - u, x = anchor.x + v - baseline;
      if (y < 0 || y >= page_.height || x < 0 || x >= page_.width) continue;
      for (int c = 0; c < 3; ++c)
        page_.pixel(y, x)[c] = std::min(page_.pixel(y, x)[c], line.pixel(v, u)[c]);
    }
}

void PixelCanvas::picture(const std::shared_ptr<const Image>& image, const PixelRect& area) {
  SACCADE_CHECK(image->height == area.height && image->width == area.width,
                "[canvas] a picture of ", image->height, "x", image->width, " for an area of ",
                area.height, "x", area.width);
  for (Index y = 0; y < area.height; ++y)
    std::memcpy(page_.pixel(area.y + y, area.x), image->pixel(y, 0),
                static_cast<std::size_t>(area.width) * 3);
}

void PixelCanvas::layer(const Layer& layer, const PixelRect& area) {
  for (Index y = 0; y < area.height; ++y)
    for (Index x = 0; x < area.width; ++x)
      cover_pixel(
          page_.pixel(area.y + y, area.x + x), layer.colours.pixel(y, x),
          static_cast<float>(layer.cover[static_cast<std::size_t>(y * area.width + x)]) / 255.f);
}

void PixelCanvas::fill(std::span<const Loop> loops, const Paint& paint) {
  std::vector<float> covered(static_cast<std::size_t>(page_.width));
  std::vector<double> cuts;
  for (Index y = 0; y < page_.height; ++y) {
    std::fill(covered.begin(), covered.end(), 0.f);
    bool any = false;
    for (int k = 0; k < kScans; ++k) {
      find_cuts(loops, static_cast<double>(y) + (k + 0.5) / kScans, cuts);
      for (std::size_t i = 0; i + 1 < cuts.size(); i += 2)
        add_stretch(std::max(cuts[i], 0.0), std::min(cuts[i + 1], static_cast<double>(page_.width)),
                    covered);
      any = any || !cuts.empty();
    }
    for (Index x = 0; any && x < page_.width; ++x)
      cover_pixel(page_.pixel(y, x), paint.colour.data(),
                  static_cast<float>(paint.cover) * covered[static_cast<std::size_t>(x)]);
  }
}

std::string picture_file(PictureFormat format, const VectorPage& page, const TextPainter* painter,
                         const std::function<void(Canvas&)>& draw) {
  if (format == PictureFormat::kPng) {
    PixelCanvas canvas(page.height, page.width, painter);
    draw(canvas);
    const std::vector<std::uint8_t> bytes = encode_png(canvas.take());
    return {bytes.begin(), bytes.end()};
  }
  const auto canvas = format == PictureFormat::kSvg ? make_svg_canvas(page) : make_pdf_canvas(page);
  draw(*canvas);
  return canvas->take();
}

}  // namespace saccade
