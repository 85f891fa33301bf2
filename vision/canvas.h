// What a picture is drawn on: pixels, or the text of an SVG file. One drawing code serves both.
// Internal to vision.
#pragma once

#include <string>

#include "vision/colour.h"
#include "vision/image.h"
#include "vision/text_painter.h"

namespace saccade {

// In pixels from the top left.
struct Area {
  Index x = 0, y = 0, width = 0, height = 0;
};

enum class Align { kStart, kMiddle, kEnd };
enum class Reading { kAcross, kUp };

// Where a text stands: its baseline, and what of it is at (x, y).
struct TextAnchor {
  Index x = 0, y = 0, size = 16;
  Colour colour{};
  Align align = Align::kStart;
  Reading reading = Reading::kAcross;
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  // A filled box; `hint` is shown where the medium can, when somebody points at it.
  virtual void box(const Area& area, const Colour& colour, const std::string& hint) = 0;
  virtual void text(const std::string& text, const TextAnchor& anchor) = 0;

  void box(const Area& area, const Colour& colour) { box(area, colour, ""); }
  // The edge of an area, `line` pixels wide, inside it.
  void frame(const Area& area, const Colour& colour, Index line);
};

class PixelCanvas : public Canvas {
 public:
  // A white page; borrows the painter.
  PixelCanvas(Index height, Index width, const TextPainter& painter);
  using Canvas::box;
  void box(const Area& area, const Colour& colour, const std::string& hint) override;
  // Throws as TextPainter::draw.
  void text(const std::string& text, const TextAnchor& anchor) override;
  Image take() { return std::move(page_); }

 private:
  void text_up(const std::string& text, const TextAnchor& anchor, Index width);

  Image page_;
  const TextPainter& painter_;
};

// Elements of SVG 1.1: rectangles, and text as text.
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(Index height, Index width, const std::string& title);
  using Canvas::box;
  void box(const Area& area, const Colour& colour, const std::string& hint) override;
  void text(const std::string& text, const TextAnchor& anchor) override;
  std::string take();

 private:
  std::string out_;
};

// Text inside an XML element or attribute: markup is escaped, and what XML 1.0 forbids is replaced
// as printable() does.
std::string xml_text(const std::string& text);

}  // namespace saccade
