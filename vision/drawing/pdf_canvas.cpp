#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <hb.h>

#include <map>
#include <numbers>

#include "core/base/error.h"
#include "vision/drawing/canvas.h"
#include "vision/drawing/embedded_picture.h"
#include "vision/drawing/owned.h"

namespace saccade {

namespace {

// The size of a pixel of the page in points, of which an inch has 72.
double points_per_pixel(const VectorPage& page) { return 72.0 / page.pixels_per_inch; }

constexpr int kShapingUnits = 64;  // HarfBuzz counts in integers: 64ths of a pixel

using Surface = Owned<cairo_surface_t, cairo_surface_destroy>;

// The font file, opened twice: for its outlines, which cairo puts into the page, and for HarfBuzz,
// which chooses and places glyphs as it does for TextPainter.
class PdfFont {
 public:
  explicit PdfFont(const std::filesystem::path& file) {
    FT_Library library = nullptr;
    FT_Face face = nullptr;
    if (FT_Init_FreeType(&library) != 0) throw InternalError("FreeType does not start");
    library_.reset(library);
    if (FT_New_Face(library, file.c_str(), 0, &face) != 0) throw_no_font(file);
    face_.reset(face);
    outlines_.reset(cairo_ft_font_face_create_for_ft_face(face, 0));
    const Owned<hb_blob_t, hb_blob_destroy> bytes(hb_blob_create_from_file(file.c_str()));
    const Owned<hb_face_t, hb_face_destroy> shapes(hb_face_create(bytes.get(), 0));
    shaper_.reset(hb_font_create(shapes.get()));
  }
  cairo_font_face_t* outlines() const { return outlines_.get(); }

  // The glyphs of a text, placed from (0, 0), and the bytes that each of them stands for.
  struct Line {
    std::vector<cairo_glyph_t> glyphs;
    std::vector<cairo_text_cluster_t> clusters;
    cairo_text_cluster_flags_t order{};
    double width = 0;
  };
  Line shape(const std::string& text, Index size) const {
    const int scale = static_cast<int>(size) * kShapingUnits;
    hb_font_set_scale(shaper_.get(), scale, scale);
    const Owned<hb_buffer_t, hb_buffer_destroy> buffer(hb_buffer_create());
    hb_buffer_add_utf8(buffer.get(), text.data(), static_cast<int>(text.size()), 0, -1);
    hb_buffer_guess_segment_properties(buffer.get());
    hb_shape(shaper_.get(), buffer.get(), nullptr, 0);
    unsigned count = 0;
    const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(buffer.get(), &count);
    const hb_glyph_position_t* places = hb_buffer_get_glyph_positions(buffer.get(), &count);
    Line line;
    for (unsigned i = 0; i < count; ++i) {
      line.glyphs.push_back({.index = infos[i].codepoint,
                             .x = line.width + places[i].x_offset / double{kShapingUnits},
                             .y = -places[i].y_offset / double{kShapingUnits}});
      line.width += places[i].x_advance / double{kShapingUnits};
    }
    const bool backward = HB_DIRECTION_IS_BACKWARD(hb_buffer_get_direction(buffer.get()));
    line.order = backward ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : cairo_text_cluster_flags_t{};
    const auto start = [&](unsigned i) { return infos[backward ? count - 1 - i : i].cluster; };
    for (unsigned i = 0; i < count;) {
      unsigned end = i + 1;
      while (end < count && start(end) == start(i)) ++end;
      const auto after = end < count ? start(end) : static_cast<unsigned>(text.size());
      line.clusters.push_back({.num_bytes = static_cast<int>(after - start(i)),
                               .num_glyphs = static_cast<int>(end - i)});
      i = end;
    }
    return line;
  }

 private:
  Owned<FT_LibraryRec_, FT_Done_FreeType> library_;
  Owned<FT_FaceRec_, FT_Done_Face> face_;
  Owned<cairo_font_face_t, cairo_font_face_destroy> outlines_;
  Owned<hb_font_t, hb_font_destroy> shaper_;
};

Surface new_surface(cairo_format_t format, Index height, Index width) {
  return Surface(
      cairo_image_surface_create(format, static_cast<int>(width), static_cast<int>(height)));
}

std::uint32_t* row_of(cairo_surface_t* surface, Index y) {
  return reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(surface) +
                                          y * cairo_image_surface_get_stride(surface));
}

std::uint32_t packed(unsigned alpha, unsigned r, unsigned g, unsigned b) {
  return alpha << 24 | r << 16 | g << 8 | b;
}

Surface surface_of(const Image& image) {
  Surface out = new_surface(CAIRO_FORMAT_RGB24, image.height, image.width);
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x) {
      const std::uint8_t* rgb = image.pixel(y, x);
      row_of(out.get(), y)[x] = packed(255, rgb[0], rgb[1], rgb[2]);
    }
  cairo_surface_mark_dirty(out.get());
  EmbeddedPicture file = embed(image);
  if (!file.jpeg) return out;
  auto* kept = new std::vector<std::uint8_t>(std::move(file.bytes));
  const auto release = [](void* bytes) { delete static_cast<std::vector<std::uint8_t>*>(bytes); };
  if (cairo_surface_set_mime_data(out.get(), CAIRO_MIME_TYPE_JPEG, kept->data(), kept->size(),
                                  release, kept) != CAIRO_STATUS_SUCCESS)
    delete kept;
  return out;
}

Surface surface_of(const Layer& layer) {
  const Image& colours = layer.colours;
  Surface out = new_surface(CAIRO_FORMAT_ARGB32, colours.height, colours.width);
  for (Index y = 0; y < colours.height; ++y)
    for (Index x = 0; x < colours.width; ++x) {
      const unsigned alpha = layer.cover[static_cast<std::size_t>(y * colours.width + x)];
      const std::uint8_t* rgb = colours.pixel(y, x);
      const auto part = [&](int c) { return (rgb[c] * alpha + 127) / 255; };
      row_of(out.get(), y)[x] = packed(alpha, part(0), part(1), part(2));
    }
  cairo_surface_mark_dirty(out.get());
  return out;
}

class PdfCanvas : public VectorCanvas {
 public:
  explicit PdfCanvas(const VectorPage& page)
      : font_(require_font(page.font)),
        surface_(cairo_pdf_surface_create_for_stream(
            append, &out_, static_cast<double>(page.width) * points_per_pixel(page),
            static_cast<double>(page.height) * points_per_pixel(page))),
        pen_(cairo_create(surface_.get())) {
    if (!page.title.empty())
      cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE,
                                     printable(page.title).c_str());
    cairo_scale(pen_.get(), points_per_pixel(page), points_per_pixel(page));
    cairo_set_font_face(pen_.get(), font_.outlines());
    cairo_set_fill_rule(pen_.get(), CAIRO_FILL_RULE_EVEN_ODD);
  }
  ~PdfCanvas() override = default;

  using Canvas::box;
  void box(const PixelRect& area, const Paint& paint, const std::string&) override {
    choose(paint);
    cairo_rectangle(pen_.get(), static_cast<double>(area.x), static_cast<double>(area.y),
                    static_cast<double>(area.width), static_cast<double>(area.height));
    cairo_fill(pen_.get());
  }

  void text(const std::string& text, const TextAnchor& anchor) override {
    if (text.empty()) return;
    const std::string clean = printable(text);
    const PdfFont::Line line = font_.shape(clean, anchor.size);
    const double back = anchor.align == Align::kStart    ? 0
                        : anchor.align == Align::kMiddle ? line.width / 2
                                                         : line.width;
    cairo_save(pen_.get());
    cairo_translate(pen_.get(), static_cast<double>(anchor.x), static_cast<double>(anchor.y));
    if (anchor.reading == Reading::kUp) cairo_rotate(pen_.get(), -std::numbers::pi / 2);
    cairo_translate(pen_.get(), -back, 0);
    choose({.colour = anchor.colour});
    cairo_set_font_size(pen_.get(), static_cast<double>(anchor.size));
    cairo_show_text_glyphs(pen_.get(), clean.data(), static_cast<int>(clean.size()),
                           line.glyphs.data(), static_cast<int>(line.glyphs.size()),
                           line.clusters.data(), static_cast<int>(line.clusters.size()),
                           line.order);
    cairo_restore(pen_.get());
  }

  void picture(const std::shared_ptr<const Image>& image, const PixelRect& area) override {
    Surface& drawn = drawn_[image];
    if (!drawn) drawn = surface_of(*image);
    show(drawn.get(), {.height = image->height, .width = image->width}, area);
  }

  void layer(const Layer& layer, const PixelRect& area) override {
    show(surface_of(layer).get(), {.height = layer.colours.height, .width = layer.colours.width},
         area);
  }

  void fill(std::span<const Loop> loops, const Paint& paint) override {
    choose(paint);
    for (const Loop& loop : loops) trace(loop);
    cairo_fill(pen_.get());
  }

  std::string take() override {
    const cairo_status_t drawn = cairo_status(pen_.get());
    cairo_surface_finish(surface_.get());
    for (const cairo_status_t status : {drawn, cairo_surface_status(surface_.get())})
      if (status != CAIRO_STATUS_SUCCESS)
        throw InternalError(str("cairo cannot write the page: ", cairo_status_to_string(status)));
    return std::move(out_);
  }

 private:
  static cairo_status_t append(void* out, const unsigned char* bytes, unsigned count) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  }

  void choose(const Paint& paint) {
    const auto part = [&](std::size_t c) { return paint.colour[c] / 255.0; };
    cairo_set_source_rgba(pen_.get(), part(0), part(1), part(2), paint.cover);
  }

  void trace(const Loop& loop) {
    for (const Point& point : loop) cairo_line_to(pen_.get(), point.x, point.y);
    cairo_close_path(pen_.get());
    cairo_new_sub_path(pen_.get());
  }

  struct Extents {
    Index height, width;
  };
  void show(cairo_surface_t* pixels, const Extents& size, const PixelRect& area) {
    cairo_save(pen_.get());
    cairo_translate(pen_.get(), static_cast<double>(area.x), static_cast<double>(area.y));
    cairo_scale(pen_.get(), static_cast<double>(area.width) / static_cast<double>(size.width),
                static_cast<double>(area.height) / static_cast<double>(size.height));
    cairo_set_source_surface(pen_.get(), pixels, 0, 0);
    cairo_paint(pen_.get());
    cairo_restore(pen_.get());
  }

  std::string out_;
  PdfFont font_;
  std::map<std::shared_ptr<const Image>, Surface> drawn_;
  Surface surface_;
  Owned<cairo_t, cairo_destroy> pen_;
};

}  // namespace

std::unique_ptr<VectorCanvas> make_pdf_canvas(const VectorPage& page) {
  return std::make_unique<PdfCanvas>(page);
}

}  // namespace saccade
