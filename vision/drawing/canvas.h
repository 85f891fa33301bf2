// What a picture is drawn on: pixels, or a vector file in which text stays text. The same drawing
// code serves all of them. Internal to vision/drawing.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vision/drawing/colour.h"
#include "vision/drawing/picture_format.h"
#include "vision/drawing/text_painter.h"
#include "vision/images/image.h"
#include "vision/images/rect.h"

namespace saccade {

struct Point {
  double x = 0, y = 0;
};
using Loop = std::vector<Point>;  // a closed line; its last point is joined to its first

enum class Align { kStart, kMiddle, kEnd };
enum class Reading { kAcross, kUp };

// Where a text stands: (x, y) lies on its baseline, and `align` chooses which part of the text is
// there.
struct TextAnchor {
  Index x = 0, y = 0, size = 16;
  Colour colour{};
  Align align = Align::kStart;
  Reading reading = Reading::kAcross;
};

// Paint whose strength differs from pixel to pixel: its colours, and how much of what lies below
// each pixel covers, in 255ths.
struct Layer {
  Image colours;
  std::vector<std::uint8_t> cover;  // [height * width]
};

// The colour of a shape, and how much of what lies below it is covered, from 0 to 1.
struct Paint {
  Colour colour{};
  double cover = 1;
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  // Draws a filled box. `hint` is shown when a reader points at the box, where the medium can do
  // that.
  virtual void box(const PixelRect& area, const Paint& paint, const std::string& hint) = 0;
  virtual void text(const std::string& text, const TextAnchor& anchor) = 0;
  // Draws an image that has the size of the area; on a vector medium it may have any size of the
  // same aspect ratio. An image that is drawn several times is stored in a vector file once.
  virtual void picture(const std::shared_ptr<const Image>& image, const PixelRect& area) = 0;
  // Draws a layer that has the size of the area.
  virtual void layer(const Layer& layer, const PixelRect& area) = 0;
  // Fills everything that lies inside an odd number of the loops.
  virtual void fill(std::span<const Loop> loops, const Paint& paint) = 0;
  // How many pixels of a photo, per side, the canvas can show on one of its own.
  virtual Index detail() const { return 1; }

  void box(const PixelRect& area, const Colour& colour) { box(area, {.colour = colour}, ""); }
  // Draws the edge of an area as a border `line` pixels wide that lies inside the area.
  void frame(const PixelRect& area, const Colour& colour, Index line);
};

class PixelCanvas : public Canvas {
 public:
  // A white page. Borrows the painter; without one it cannot write text.
  PixelCanvas(Index height, Index width, const TextPainter* painter);
  using Canvas::box;
  void box(const PixelRect& area, const Paint& paint, const std::string& hint) override;
  // Throws as TextPainter::draw.
  void text(const std::string& text, const TextAnchor& anchor) override;
  void picture(const std::shared_ptr<const Image>& image, const PixelRect& area) override;
  void layer(const Layer& layer, const PixelRect& area) override;
  void fill(std::span<const Loop> loops, const Paint& paint) override;
  Image take() { return std::move(page_); }

 private:
  void text_up(const std::string& text, const TextAnchor& anchor, Index width);

  Image page_;
  const TextPainter* painter_;
};

inline constexpr double kScreenPixelsPerInch = 96;

// A page of a vector file: its size in pixels and its title.
struct VectorPage {
  Index height = 0, width = 0;
  std::string title{};
  std::filesystem::path font{};  // of a PDF; empty: as in TextPainter
  double pixels_per_inch = kScreenPixelsPerInch;
};

class VectorCanvas : public Canvas {
 public:
  // Returns the bytes of the file; nothing can be drawn afterwards.
  virtual std::string take() = 0;
  Index detail() const override { return 2; }
};

// Writes elements of SVG 1.1; text stays text, in the fonts of the reader's system.
std::unique_ptr<VectorCanvas> make_svg_canvas(const VectorPage& page);
// Writes a PDF that holds the glyphs it uses, so that words can be searched and copied. Throws
// DataError when the font is missing or cannot be loaded.
std::unique_ptr<VectorCanvas> make_pdf_canvas(const VectorPage& page);

// Returns the file. `painter` is used for PNG only.
std::string picture_file(PictureFormat format, const VectorPage& page, const TextPainter* painter,
                         const std::function<void(Canvas&)>& draw);

// Text as it may stand inside an XML element or attribute: markup is escaped, and characters that
// XML 1.0 forbids are replaced as printable() does.
std::string xml_text(const std::string& text);

}  // namespace saccade
