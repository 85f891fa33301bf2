#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "core/base/error.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/overlay.h"
#include "vision/drawing/overlay_panel.h"
#include "vision/drawing/sheet_sizes.h"

namespace saccade {

namespace {

constexpr Index kSmallestPanel = 48;
constexpr double kTallestPanel = 1.5;  // times its width; a taller photo gets a narrower panel
constexpr double kPageAspect = 1.6;
constexpr Index kHeaderLines = 4;
// The longest strip, in panels, where the words of several models stand below each other.
constexpr Index kLongestStrip = 16;

struct PanelSize {
  Index height = 0, width = 0;
};

// The plain image and one panel per word.
Index panel_count(const Overlay& overlay) { return static_cast<Index>(overlay.words.size()) + 1; }

// The text above one grid of panels.
struct Header {
  std::vector<std::string> title, caption;
  bool has_words = true;  // false: the caption is empty
};

PanelSize panel_size(const Overlay& overlay, Index slot) {
  const double aspect =
      static_cast<double>(overlay.image->height) / static_cast<double>(overlay.image->width);
  const double width = static_cast<double>(slot) * std::min(1.0, kTallestPanel / aspect);
  return {.height = std::max<Index>(1, std::lround(width * aspect)),
          .width = std::max<Index>(1, std::lround(width))};
}

std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", value);
  return text.data();
}

// ", largest of the heads"; empty where one head was taken.
std::string fusion_name(const MapPart& part, const char* of) {
  if (!part.fused || part.count == 1) return "";
  const Fusion fused = *part.fused;
  return str(", ",
             fused == Fusion::kMax   ? "largest"
             : fused == Fusion::kMin ? "smallest"
                                     : "mean",
             " of the ", of);
}

// The name of the weights of such maps.
std::string name_of(const AttentionMap& map, MapMeasure measure) {
  return str("attention weight", fusion_name(map.head, "heads"), fusion_name(map.layer, "layers"),
             measure == MapMeasure::kRelative ? " over equal weights (line: 1)"
             : measure == MapMeasure::kGated  ? " times the gate"
                                              : "");
}

// Draws pages. All their panels share one text painter and one table of colours.
class Sheet {
 public:
  Sheet(std::span<const Overlay> overlays, const OverlayOptions& options)
      : overlays_(overlays),
        options_(options),
        text_(options.font),
        colours_(colour_table(options.colours)) {
    for (const Overlay& overlay : overlays) {
      shared_ = std::max(shared_, largest_weight(overlay));
      panels_ = std::max(panels_, panel_count(overlay));
      for (const LabelledMap& word : overlay.words) {
        has_chosen_ |= word.map.chosen >= 0;
        has_fields_ |= word.map.chosen >= 0 && overlay.field;
      }
    }
    plan_page();
  }

  Index height() const { return height_; }
  Index width() const { return metrics_.page_width; }
  const TextPainter& painter() const { return text_; }

  void draw(Canvas& canvas) const {
    Index top = metrics_.margin;
    for (const Overlay& overlay : overlays_) {
      top = draw_header(canvas, header_of(overlay), top);
      top = draw_panels(canvas, overlay, top) + metrics_.margin;
    }
    if (panels_ == 1) return;  // there is no map
    draw_legend(canvas, draw_bar(canvas, top), top);
  }

 private:
  void plan_page() {
    if (options_.paper_width > 0) {
      metrics_ = paper_sizes(options_, panels_);
      panel_slot_ = metrics_.slot;
      height_ = page_height();
      if (height_ * metrics_.page_width > kMaxSheetPixels) refuse_large();
      return;
    }
    Index slot = std::max(options_.panel_width, kSmallestPanel);
    plan(slot);
    // The headers are left out at first: measuring text is slow, and a page of many panels has much
    // of it.
    while (grids_height() * metrics_.page_width > kMaxSheetPixels ||
           page_height() * metrics_.page_width > kMaxSheetPixels) {
      if (slot == kSmallestPanel) refuse_large();
      slot = std::max(kSmallestPanel, slot * 9 / 10);
      plan(slot);
    }
    height_ = page_height();
  }

  [[noreturn]] void refuse_large() const {
    throw DataError(str("a page of ", panels_, " panels for each of ", overlays_.size(),
                        " captions is too large; draw fewer at a time"));
  }

  // Chooses sizes and columns for panels of this width.
  void plan(Index slot) {
    SheetSizes& m = metrics_;
    panel_slot_ = slot;
    m = sizes_of_letters(std::clamp<Index>(slot / 14, 13, 40));
    m.slot = kLabelLetters * m.word_size;
    for (const Overlay& overlay : overlays_)
      m.slot = std::max(m.slot, panel_size(overlay, slot).width);
    m.columns = options_.columns > 0 ? std::min(options_.columns, panels_)
                : overlays_.size() > 1 && panels_ <= kLongestStrip ? panels_
                                                                   : best_columns();
    const Index grid = m.columns * (m.slot + m.gap) - m.gap;
    m.page_width = 2 * m.margin + std::max(grid, bar_width() + 8 * m.small_size);
  }

  // Prefers a wide page with few gaps at its end. With several models the page may be as tall as it
  // needs to be.
  Index best_columns() const {
    Index best = 1;
    double least = 1e300;
    for (Index columns = 1; columns <= panels_; ++columns) {
      double height = 0, gaps = 0;
      for (const Overlay& overlay : overlays_) {
        const Index rows = grid_rows(overlay, columns);
        height += static_cast<double>(rows * row_height(overlay));
        gaps += static_cast<double>(rows * columns - panel_count(overlay));
      }
      const auto models = static_cast<double>(overlays_.size());
      const double width = static_cast<double>(columns * (metrics_.slot + metrics_.gap));
      const double misfit = std::abs(std::log(width * models / height / kPageAspect)) +
                            gaps / models / static_cast<double>(panels_);
      if (misfit < least) {
        least = misfit;
        best = columns;
      }
    }
    return best;
  }

  Index bar_width() const {
    const Index usual = 14 * metrics_.word_size;
    return options_.paper_width > 0 ? std::min(usual, metrics_.page_width / 2) : usual;
  }
  Index grid_rows(const Overlay& overlay, Index columns) const {
    return (panel_count(overlay) + columns - 1) / columns;
  }
  Index row_height(const Overlay& overlay) const {
    return metrics_.label + panel_size(overlay, panel_slot_).height + metrics_.gap;
  }

  Header header_of(const Overlay& overlay) const {
    const Index width = metrics_.page_width - 2 * metrics_.margin;
    return {
        .title = text_.wrapped(options_.title ? printable(overlay.title) : "",
                               {.size = metrics_.small_size, .max_width = width, .max_lines = 2}),
        .caption = text_.wrapped(
            caption_of(overlay),
            {.size = metrics_.caption_size, .max_width = width, .max_lines = kHeaderLines}),
        .has_words = !overlay.words.empty() || !overlay.caption.empty()};
  }
  Index title_step() const { return metrics_.small_size * 3 / 2; }
  Index caption_step() const { return metrics_.caption_size * 4 / 3; }
  Index header_height(const Header& header) const {
    return static_cast<Index>(header.title.size()) * title_step() +
           static_cast<Index>(header.caption.size()) * caption_step() + metrics_.gap / 2;
  }
  Index bar_height() const {
    return panels_ == 1 ? 0 : metrics_.word_size + 4 * metrics_.small_size;
  }

  Index grids_height() const {
    Index height = 0;
    for (const Overlay& overlay : overlays_)
      height += grid_rows(overlay, metrics_.columns) * row_height(overlay);
    return height;
  }
  Index page_height() const {
    Index height = 2 * metrics_.margin + bar_height() + grids_height();
    for (const Overlay& overlay : overlays_)
      height += header_height(header_of(overlay)) + metrics_.margin - metrics_.gap;
    return height;
  }

  // Draws the header and returns the top of what follows, as the next function does.
  Index draw_header(Canvas& canvas, const Header& header, Index top) const {
    for (const std::string& line : header.title) {
      write(canvas, line, {metrics_.margin, top + metrics_.small_size, metrics_.small_size});
      top += title_step();
    }
    for (const std::string& line : header.caption) {
      canvas.text(line, {metrics_.margin, top + metrics_.caption_size, metrics_.caption_size,
                         header.has_words ? kInk : kSoftInk});
      top += caption_step();
    }
    return top + metrics_.gap / 2;
  }

  // The photo for panels of a size; it is not enlarged where the medium takes any size.
  PanelPhoto photo_of(const Overlay& overlay, const PanelSize& size, Index detail) const {
    const Index times = overlay.image->width >= detail * size.width ? detail : 1;
    return panel_photo(resized_photo(overlay, times * size.height, times * size.width),
                       overlay.geometry, options_.style);
  }

  Index draw_panels(Canvas& canvas, const Overlay& overlay, Index top) const {
    const PanelSize size = panel_size(overlay, panel_slot_);
    const PanelPhoto photo = photo_of(overlay, size, canvas.detail());
    for (Index i = 0; i < panel_count(overlay); ++i) {
      const Index x = metrics_.margin + i % metrics_.columns * (metrics_.slot + metrics_.gap);
      const Index y = top + i / metrics_.columns * row_height(overlay);
      const PixelRect area{x, y + metrics_.label, size.width, size.height};
      if (i == 0) {
        draw_label(canvas, x, y, {.word = "image", .details = "", .colour = kSoftInk});
        canvas.picture(photo.plain, area);
        continue;
      }
      const LabelledMap& word = overlay.words[static_cast<std::size_t>(i - 1)];
      const AttentionMap map = measured(word.map, overlay.measure);
      const double full = full_heat(map, options_, shared_);
      draw_label(canvas, x, y, {.word = printable(word.text), .details = details_of(word, full)});
      paint_panel(canvas, area, overlay, map, photo,
                  {.drawing = &options_, .colours = &colours_, .full_heat = full});
    }
    return top + grid_rows(overlay, metrics_.columns) * row_height(overlay) - metrics_.gap;
  }

  std::string details_of(const LabelledMap& word, double full) const {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "   ") + part; };
    if (word.map.gate)
      add((text_.has_font() ? "\xCE\xB2 " : "beta ") + short_number(*word.map.gate));
    if (word.log_probability) add("p " + short_number(std::exp(*word.log_probability)));
    // It is said of words; what has no probability is none.
    if (word.log_probability && is_uniform(word.map)) add("uniform");
    if (word.map.elsewhere) add("elsewhere " + short_number(*word.map.elsewhere));
    if (options_.scale == HeatScale::kPerWord) add("max " + short_number(full));
    return text;
  }

  struct Label {
    std::string word, details;
    Colour colour = kInk;
  };
  void draw_label(Canvas& canvas, Index x, Index y, const Label& label) const {
    const SheetSizes& m = metrics_;
    canvas.text(text_.fitted(label.word, m.word_size, m.slot),
                {x, y + m.word_size, m.word_size, label.colour});
    write(canvas, text_.fitted(label.details, m.small_size, m.slot),
          {x, y + m.label - m.small_size / 2, m.small_size});
  }

  static void write(Canvas& canvas, const std::string& text, TextAnchor anchor) {
    anchor.colour = kSoftInk;
    canvas.text(text, anchor);
  }

  // The name of the weights; where overlays differ, only that they are attention weights.
  std::string weight_name() const {
    std::set<std::string> names;
    for (const Overlay& overlay : overlays_)
      if (!overlay.words.empty()) names.insert(name_of(overlay.words[0].map, overlay.measure));
    return names.size() == 1 ? *names.begin() : "attention weight";
  }

  // Draws the colour bar and returns its width.
  Index draw_bar(Canvas& canvas, Index top) const {
    const SheetSizes& m = metrics_;
    const Index width = bar_width(), height = m.word_size;
    write(canvas, weight_name(), {m.margin, top + m.small_size, m.small_size});
    const Index bar_top = top + m.small_size * 3 / 2;
    for (Index x = 0; x < width; ++x) {
      const auto level = static_cast<std::size_t>(x * 255 / (width - 1));
      const auto light = static_cast<std::uint8_t>(level);
      canvas.box({m.margin + x, bar_top, 1, height},
                 has_colours(options_.style) ? colours_[level] : Colour{light, light, light});
    }
    const Index text_y = bar_top + height + m.small_size * 5 / 4;
    const bool each = options_.scale == HeatScale::kPerWord;
    const double most = options_.scale == HeatScale::kFixed ? options_.fixed_max : shared_;
    if (overlays_.front().measure == MapMeasure::kRelative && !each && most > 1) {
      const double at = 1 / most * static_cast<double>(width - 1);  // of equal weights
      const Index x = m.margin + static_cast<Index>(std::lround(at));
      canvas.box({x - 1, bar_top, 3, height}, kInk);  // dark around light is visible on any colour
      canvas.box({x, bar_top, 1, height}, Colour{255, 255, 255});
    }
    for (Index tick = 0; tick <= 2; ++tick) {
      const std::string text = each && tick == 2   ? "max of the panel"
                               : each && tick == 1 ? ""
                               : tick == 0         ? "0"
                                           : short_number(most * static_cast<double>(tick) / 2);
      const Index x = m.margin + tick * (width - 1) / 2;
      canvas.box({x, bar_top + height, 1, m.small_size / 3}, kSoftInk);
      write(canvas, text,
            {.x = x,
             .y = text_y,
             .size = m.small_size,
             .align = tick == 0   ? Align::kStart
                      : tick == 1 ? Align::kMiddle
                                  : Align::kEnd});
    }
    return width + m.word_size;
  }

  // Written beside the bar: what the lines mean and how fine the grid is.
  void draw_legend(Canvas& canvas, Index indent, Index top) const {
    const SheetSizes& m = metrics_;
    const Index x = m.margin + indent;
    const std::vector<std::string> lines = text_.wrapped(
        legend(), {.size = m.small_size, .max_width = m.page_width - m.margin - x, .max_lines = 3});
    Index baseline = top + m.small_size * 3 / 2;
    if (lines.size() == 1) baseline += m.word_size * 3 / 4;  // level with the middle of the bar
    for (const std::string& line : lines) {
      write(canvas, line, {x, baseline, m.small_size});
      baseline += m.small_size * 3 / 2;
    }
  }

  std::string legend() const {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    std::set<std::string> layouts;
    for (const Overlay& overlay : overlays_)
      if (!overlay.words.empty())
        if (const std::string name = overlay.words[0].map.layout.name();
            layouts.insert(name).second)
          add(name);
    const bool boxes = std::any_of(overlays_.begin(), overlays_.end(), [](const Overlay& overlay) {
      return overlay.geometry.places && !overlay.geometry.places->boxes.empty();
    });
    if (has_chosen_) add(boxes ? "outlined: the chosen region" : "outlined: the chosen cell");
    if (boxes && !has_chosen_) add("outlined: the region with the largest weight");
    if (has_fields_) add("in light blue: what it could see");
    return text;
  }

  std::span<const Overlay> overlays_;
  const OverlayOptions& options_;
  TextPainter text_;
  std::array<Colour, 256> colours_;
  double shared_ = 0;
  Index panels_ = 1, panel_slot_ = 0, height_ = 0;
  bool has_chosen_ = false, has_fields_ = false;
  SheetSizes metrics_;
};

void check_sheet(std::span<const Overlay> overlays, const OverlayOptions& options) {
  SACCADE_CHECK(!overlays.empty(), "[overlay] there is nothing to draw");
  for (const Overlay& overlay : overlays) check_overlay(overlay, options);
  if (options.columns < 0 || options.panel_width < kSmallestPanel || options.panel_width > 4096)
    throw UsageError(str("overlay columns must not be negative and panel_width must be between ",
                         kSmallestPanel, " and 4096; got ", options.columns, " and ",
                         options.panel_width));
  const double width = options.paper_width;
  if (width != 0 && !(width >= kNarrowestPaper && width <= kWidestPaper))
    throw UsageError(str("overlay paper_width must be between ", kNarrowestPaper, " and ",
                         kWidestPaper, " centimetres, or 0; got ", width));
}

}  // namespace

Image draw_sheet(std::span<const Overlay> overlays, const OverlayOptions& options) {
  check_sheet(overlays, options);
  const Sheet sheet(overlays, options);
  PixelCanvas canvas(sheet.height(), sheet.width(), &sheet.painter());
  sheet.draw(canvas);
  return canvas.take();
}

std::string sheet_file(std::span<const Overlay> overlays, const OverlayOptions& options,
                       PictureFormat format) {
  check_sheet(overlays, options);
  const Sheet sheet(overlays, options);
  return picture_file(
      format,
      {.height = sheet.height(),
       .width = sheet.width(),
       .title = overlays[0].title,
       .font = options.font,
       .pixels_per_inch = options.paper_width > 0 ? kPaperPixelsPerInch : kScreenPixelsPerInch},
      &sheet.painter(), [&](Canvas& canvas) { sheet.draw(canvas); });
}

}  // namespace saccade
