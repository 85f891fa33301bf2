#include <cstdio>

#include "core/base/error.h"
#include "vision/canvas.h"

namespace saccade {

namespace {

std::string hex(const Colour& colour) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", unsigned{colour[0]}, unsigned{colour[1]},
                unsigned{colour[2]});
  return text.data();
}

const char* anchor_name(Align align) {
  return align == Align::kStart ? "start" : align == Align::kMiddle ? "middle" : "end";
}

}  // namespace

std::string xml_text(const std::string& text) {
  const std::string clean = printable(text);
  std::string out;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    switch (clean[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\xEF':  // U+FFFE and U+FFFF are no characters of XML
        if (clean.compare(i, 3, "\xEF\xBF\xBE") == 0 || clean.compare(i, 3, "\xEF\xBF\xBF") == 0) {
          out += "\xEF\xBF\xBD";
          i += 2;
          break;
        }
        [[fallthrough]];
      default:
        out += clean[i];
    }
  }
  return out;
}

SvgCanvas::SvgCanvas(Index height, Index width, const std::string& title) {
  out_ = str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
             "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"", width,
             "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
             "\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n");
  if (!title.empty()) out_ += str("<title>", xml_text(title), "</title>\n");
  box({0, 0, width, height}, {255, 255, 255});
}

void SvgCanvas::box(const Area& area, const Colour& colour, const std::string& hint) {
  out_ += str("<rect x=\"", area.x, "\" y=\"", area.y, "\" width=\"", area.width, "\" height=\"",
              area.height, "\" fill=\"", hex(colour), "\" shape-rendering=\"crispEdges\"");
  out_ += hint.empty() ? "/>\n" : str("><title>", xml_text(hint), "</title></rect>\n");
}

void SvgCanvas::text(const std::string& text, const TextAnchor& anchor) {
  if (text.empty()) return;
  out_ +=
      str("<text x=\"", anchor.x, "\" y=\"", anchor.y, "\" font-size=\"", anchor.size, "\" fill=\"",
          hex(anchor.colour), "\" text-anchor=\"", anchor_name(anchor.align), "\"");
  if (anchor.reading == Reading::kUp)
    out_ += str(" transform=\"rotate(-90 ", anchor.x, " ", anchor.y, ")\"");
  out_ += str(">", xml_text(text), "</text>\n");
}

std::string SvgCanvas::take() { return std::move(out_) + "</svg>\n"; }

}  // namespace saccade
