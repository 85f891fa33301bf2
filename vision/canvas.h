// What a picture is drawn on: pixels, or a file of vectors in which text stays text. One drawing
// code serves all. Internal to vision.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vision/colour.h"
#include "vision/image.h"
#include "vision/picture_format.h"
#include "vision/text_painter.h"

namespace saccade {

// In pixels from the top left.
struct Area {
  Index x = 0, y = 0, width = 0, height = 0;

  Index right() const { return x + width; }
  Index bottom() const { return y + height; }
};

struct Point {
  double x = 0, y = 0;
};
using Loop = std::vector<Point>;  // a closed line; its last point is joined to its first

enum class Align { kStart, kMiddle, kEnd };
enum class Reading { kAcross, kUp };

// Where a text stands: its baseline, and what of it is at (x, y).
struct TextAnchor {
  Index x = 0, y = 0, size = 16;
  Colour colour{};
  Align align = Align::kStart;
  Reading reading = Reading::kAcross;
};

// Paint of varying thickness: colours, and how much of what is below each covers, in 255ths.
struct Layer {
  Image colours;
  std::vector<std::uint8_t> cover;  // [height * width]
};

// How a box covers what is below it.
struct Paint {
  Colour colour{};
  double cover = 1;
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  // A filled box; `hint` is shown where the medium can, when somebody points at it.
  virtual void box(const Area& area, const Paint& paint, const std::string& hint) = 0;
  virtual void text(const std::string& text, const TextAnchor& anchor) = 0;
  // Pixels on an area that has their size, or on a vector medium any size of their aspect. Where
  // the same image is drawn again, a vector file holds it once.
  virtual void picture(const std::shared_ptr<const Image>& image, const Area& area) = 0;
  // An area that has the layer's size.
  virtual void layer(const Layer& layer, const Area& area) = 0;
  // Inside an odd number of loops.
  virtual void fill(std::span<const Loop> loops, const Paint& paint) = 0;
  virtual void line(const Loop& loop, const Colour& colour, double width) = 0;
  // How many pixels of a photo it can show on one of its own, a side.
  virtual Index detail() const { return 1; }

  void box(const Area& area, const Colour& colour) { box(area, {.colour = colour}, ""); }
  // The edge of an area, `line` pixels wide, inside it.
  void frame(const Area& area, const Colour& colour, Index line);
};

class PixelCanvas : public Canvas {
 public:
  // A white page; borrows the painter, without which it cannot write.
  PixelCanvas(Index height, Index width, const TextPainter* painter);
  using Canvas::box;
  void box(const Area& area, const Paint& paint, const std::string& hint) override;
  // Throws as TextPainter::draw.
  void text(const std::string& text, const TextAnchor& anchor) override;
  void picture(const std::shared_ptr<const Image>& image, const Area& area) override;
  void layer(const Layer& layer, const Area& area) override;
  void fill(std::span<const Loop> loops, const Paint& paint) override;
  void line(const Loop& loop, const Colour& colour, double width) override;
  Image take() { return std::move(page_); }

 private:
  void text_up(const std::string& text, const TextAnchor& anchor, Index width);

  Image page_;
  const TextPainter* painter_;
};

// A page of a vector file: its size in pixels, of which 96 are an inch, and what it is called.
struct VectorPage {
  Index height = 0, width = 0;
  std::string title{};
  std::filesystem::path font{};  // of a PDF; empty: as TextPainter
};

class VectorCanvas : public Canvas {
 public:
  // The bytes of the file; nothing can be drawn afterwards.
  virtual std::string take() = 0;
  Index detail() const override { return 2; }
};

// Elements of SVG 1.1, and text as text in the fonts of whoever looks.
std::unique_ptr<VectorCanvas> make_svg_canvas(const VectorPage& page);
// PDF with the glyphs it uses inside; words can be searched and copied. Throws DataError when the
// font is missing or cannot be loaded.
std::unique_ptr<VectorCanvas> make_pdf_canvas(const VectorPage& page);

// A file of a format, which is not APNG. `painter` is that of PNG.
std::string picture_file(PictureFormat format, const VectorPage& page, const TextPainter* painter,
                         const std::function<void(Canvas&)>& draw);

// Text inside an XML element or attribute: markup is escaped, and what XML 1.0 forbids is replaced
// as printable() does.
std::string xml_text(const std::string& text);

}  // namespace saccade
