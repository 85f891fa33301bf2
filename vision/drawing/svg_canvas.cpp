#include <cstdio>
#include <map>

#include "core/base/error.h"
#include "core/io/base64.h"
#include "vision/drawing/canvas.h"
#include "vision/drawing/embedded_picture.h"

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

std::string opacity(double cover) { return cover < 1 ? str(" fill-opacity=\"", cover, "\"") : ""; }

std::string path_of(std::span<const Loop> loops) {
  std::string out;
  std::array<char, 64> text{};
  for (const Loop& loop : loops) {
    const char* command = "M";
    for (const Point& point : loop) {
      std::snprintf(text.data(), text.size(), "%s%.2f %.2f", command, point.x, point.y);
      out += text.data();
      command = "L";
    }
    out += "Z";
  }
  return out;
}

class SvgCanvas : public VectorCanvas {
 public:
  explicit SvgCanvas(const VectorPage& page);
  using Canvas::box;
  void box(const PixelRect& area, const Paint& paint, const std::string& hint) override;
  void text(const std::string& text, const TextAnchor& anchor) override;
  void picture(const std::shared_ptr<const Image>& image, const PixelRect& area) override;
  void layer(const Layer& layer, const PixelRect& area) override;
  void fill(std::span<const Loop> loops, const Paint& paint) override;
  std::string take() override { return std::move(out_) + "</svg>\n"; }

 private:
  void write_image(const EmbeddedPicture& picture, const PixelRect& area, const std::string& id);

  struct Drawn {
    std::size_t number;
    PixelRect area;  // where it was drawn first
  };
  std::string out_;
  std::map<std::shared_ptr<const Image>, Drawn> drawn_;
};

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
      case '\xEF':  // XML has no characters U+FFFE and U+FFFF
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

namespace {

// A length for SVG: without a unit, which are screen pixels, or in centimetres.
std::string svg_length(Index pixels, const VectorPage& page) {
  if (page.pixels_per_inch == kScreenPixelsPerInch) return str(pixels);
  return str(static_cast<double>(pixels) / page.pixels_per_inch * 2.54, "cm");
}

SvgCanvas::SvgCanvas(const VectorPage& page) {
  out_ = str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
             "<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" width=\"",
             svg_length(page.width, page), "\" height=\"", svg_length(page.height, page),
             "\" viewBox=\"0 0 ", page.width, " ", page.height,
             "\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n");
  if (!page.title.empty()) out_ += str("<title>", xml_text(page.title), "</title>\n");
  Canvas::box({0, 0, page.width, page.height}, {255, 255, 255});
}

void SvgCanvas::box(const PixelRect& area, const Paint& paint, const std::string& hint) {
  out_ += str("<rect x=\"", area.x, "\" y=\"", area.y, "\" width=\"", area.width, "\" height=\"",
              area.height, "\" fill=\"", hex(paint.colour), "\"", opacity(paint.cover),
              " shape-rendering=\"crispEdges\"");
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

void SvgCanvas::write_image(const EmbeddedPicture& picture, const PixelRect& area,
                            const std::string& id) {
  out_ +=
      str("<image", id, " x=\"", area.x, "\" y=\"", area.y, "\" width=\"", area.width,
          "\" height=\"", area.height, "\" preserveAspectRatio=\"none\" xlink:href=\"data:",
          picture.jpeg ? "image/jpeg" : "image/png", ";base64,", base64(picture.bytes), "\"/>\n");
}

void SvgCanvas::picture(const std::shared_ptr<const Image>& image, const PixelRect& area) {
  const auto [found, fresh] = drawn_.try_emplace(image, Drawn{drawn_.size(), area});
  const Drawn& first = found->second;
  if (fresh || first.area.width != area.width || first.area.height != area.height) {
    write_image(embed(*image), area, fresh ? str(" id=\"photo", first.number, "\"") : "");
    return;
  }
  out_ += str("<use xlink:href=\"#photo", first.number, "\" x=\"", area.x - first.area.x, "\" y=\"",
              area.y - first.area.y, "\"/>\n");
}

void SvgCanvas::layer(const Layer& layer, const PixelRect& area) {
  write_image(embed(layer), area, "");
}

void SvgCanvas::fill(std::span<const Loop> loops, const Paint& paint) {
  out_ += str("<path d=\"", path_of(loops), "\" fill-rule=\"evenodd\" fill=\"", hex(paint.colour),
              "\"", opacity(paint.cover), "/>\n");
}

}  // namespace

std::unique_ptr<VectorCanvas> make_svg_canvas(const VectorPage& page) {
  return std::make_unique<SvgCanvas>(page);
}

}  // namespace saccade
