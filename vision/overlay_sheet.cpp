#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/base/error.h"
#include "vision/overlay.h"
#include "vision/overlay_panel.h"
#include "vision/text_painter.h"

namespace saccade {

namespace {

constexpr Colour kInk{32, 32, 36};
constexpr Colour kSoftInk{110, 110, 118};
constexpr Index kSmallestPanel = 48;
constexpr Index kLabelLetters = 7;     // labels need room even over narrow panels
constexpr double kTallestPanel = 1.5;  // of its width; a tall photo gets a narrower panel
constexpr double kPageAspect = 1.6;
constexpr Index kHeaderLines = 4;

// Sizes in pixels that follow from the width of a panel.
struct Metrics {
  Index slot = 0;  // width from one panel to the next, without the gap
  Index columns = 1;
  Index word_size = 0, small_size = 0, caption_size = 0;
  Index margin = 0, gap = 0, label = 0;
  Index page_width = 0;
};

struct PanelSize {
  Index height = 0, width = 0;
};

// The plain image, then the words.
Index panel_count(const Overlay& overlay) { return static_cast<Index>(overlay.words.size()) + 1; }

// What goes above one grid of panels.
struct Header {
  std::vector<std::string> title, caption;
};

std::string caption_of(const Overlay& overlay) {
  if (!overlay.caption.empty()) return printable(overlay.caption);
  std::string caption;
  for (const OverlayWord& word : overlay.words)
    caption += (caption.empty() ? "" : " ") + printable(word.text);
  return caption;
}

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

// Draws pages: one painter of text and one table of colours for all of their panels.
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
      for (const OverlayWord& word : overlay.words) has_samples_ |= word.sampled.has_value();
    }
  }

  Image draw() {
    Index slot = std::max(options_.panel_width, kSmallestPanel);
    plan(slot);
    // Without headers first: measuring text is slow, and many panels make it long.
    while (grids_height() * metrics_.page_width > kMaxSheetPixels ||
           page_height() * metrics_.page_width > kMaxSheetPixels) {
      if (slot == kSmallestPanel)
        throw DataError(str("a page of ", panels_, " panels for each of ", overlays_.size(),
                            " captions is too large; draw fewer at a time"));
      slot = std::max(kSmallestPanel, slot * 9 / 10);
      plan(slot);
    }
    Image page(page_height(), metrics_.page_width, 255);
    Index top = metrics_.margin;
    for (const Overlay& overlay : overlays_) {
      top = draw_header(page, header_of(overlay), top);
      top = draw_panels(page, overlay, top) + metrics_.margin;
    }
    draw_bar(page, top);
    return page;
  }

 private:
  // Chooses sizes and columns for panels of this width.
  void plan(Index slot) {
    Metrics& m = metrics_;
    panel_slot_ = slot;
    m.word_size = std::clamp<Index>(slot / 14, 13, 40);
    m.slot = kLabelLetters * m.word_size;
    for (const Overlay& overlay : overlays_)
      m.slot = std::max(m.slot, panel_size(overlay, slot).width);
    m.small_size = std::max<Index>(11, m.word_size * 7 / 10);
    m.caption_size = m.word_size * 5 / 4;
    m.margin = m.word_size;
    m.gap = m.word_size * 3 / 4;
    m.label = m.word_size * 5 / 4 + m.small_size * 3 / 2 + 2;
    m.columns = options_.columns > 0 ? std::min(options_.columns, panels_) : best_columns();
    const Index grid = m.columns * (m.slot + m.gap) - m.gap;
    m.page_width = 2 * m.margin + std::max(grid, bar_width() + 8 * m.small_size);
  }

  // A wide page with few gaps at its end. Several models may make it as tall as it needs to be.
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

  Index bar_width() const { return 14 * metrics_.word_size; }
  Index grid_rows(const Overlay& overlay, Index columns) const {
    return (panel_count(overlay) + columns - 1) / columns;
  }
  Index row_height(const Overlay& overlay) const {
    return metrics_.label + panel_size(overlay, panel_slot_).height + metrics_.gap;
  }

  Header header_of(const Overlay& overlay) const {
    const Index width = metrics_.page_width - 2 * metrics_.margin;
    return {
        .title = text_.wrapped(printable(overlay.title),
                               {.size = metrics_.small_size, .max_width = width, .max_lines = 2}),
        .caption = text_.wrapped(
            caption_of(overlay),
            {.size = metrics_.caption_size, .max_width = width, .max_lines = kHeaderLines})};
  }
  Index title_step() const { return metrics_.small_size * 3 / 2; }
  Index caption_step() const { return metrics_.caption_size * 4 / 3; }
  Index header_height(const Header& header) const {
    return static_cast<Index>(header.title.size()) * title_step() +
           static_cast<Index>(header.caption.size()) * caption_step() + metrics_.gap / 2;
  }
  Index bar_height() const { return metrics_.word_size + 4 * metrics_.small_size; }

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

  // Returns the top of what follows, as the next two do.
  Index draw_header(Image& page, const Header& header, Index top) const {
    for (const std::string& line : header.title) {
      text_.draw(page, line,
                 {metrics_.margin, top + metrics_.small_size, metrics_.small_size, kSoftInk});
      top += title_step();
    }
    for (const std::string& line : header.caption) {
      text_.draw(page, line,
                 {metrics_.margin, top + metrics_.caption_size, metrics_.caption_size, kInk});
      top += caption_step();
    }
    return top + metrics_.gap / 2;
  }

  Index draw_panels(Image& page, const Overlay& overlay, Index top) const {
    const PanelSize size = panel_size(overlay, panel_slot_);
    // The geometry of squashing does what is wanted here: resize well, to any size.
    const Image plain = prepare(*overlay.image, {.height = size.height, .width = size.width}).image;
    for (Index i = 0; i < panel_count(overlay); ++i) {
      const Index x = metrics_.margin + i % metrics_.columns * (metrics_.slot + metrics_.gap);
      const Index y = top + i / metrics_.columns * row_height(overlay);
      if (i == 0) {
        draw_label(page, x, y, {.word = "image", .details = "", .colour = kSoftInk});
        paste(page, plain, y + metrics_.label, x);
        continue;
      }
      const OverlayWord& word = overlay.words[static_cast<std::size_t>(i - 1)];
      draw_label(page, x, y, {.word = printable(word.text), .details = details_of(word)});
      Image panel = plain;
      paint_heat(panel, overlay, word, colours_,
                 {.style = options_.style, .full_heat = full_heat(word, options_, shared_)});
      paste(page, panel, y + metrics_.label, x);
    }
    return top + grid_rows(overlay, metrics_.columns) * row_height(overlay) - metrics_.gap;
  }

  std::string details_of(const OverlayWord& word) const {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "   ") + part; };
    if (word.gate)
      add((text_.has_font() ? "\xCE\xB2 " : "beta ") +
          short_number(static_cast<double>(*word.gate)));
    if (word.log_probability)
      add("p " + short_number(std::exp(static_cast<double>(*word.log_probability))));
    if (options_.scale == HeatScale::kPerWord)
      add("max " + short_number(full_heat(word, options_, shared_)));
    return text;
  }

  struct Label {
    std::string word, details;
    Colour colour = kInk;
  };
  void draw_label(Image& page, Index x, Index y, const Label& label) const {
    const Metrics& m = metrics_;
    text_.draw(page, text_.fitted(label.word, m.word_size, m.slot),
               {x, y + m.word_size, m.word_size, label.colour});
    text_.draw(page, text_.fitted(label.details, m.small_size, m.slot),
               {x, y + m.label - m.small_size / 2, m.small_size, kSoftInk});
  }

  static void paste(Image& page, const Image& panel, Index top, Index left) {
    for (Index y = 0; y < panel.height; ++y)
      std::memcpy(page.pixel(top + y, left), panel.pixel(y, 0),
                  static_cast<std::size_t>(panel.width) * 3);
  }

  void draw_bar(Image& page, Index top) const {
    const Metrics& m = metrics_;
    const Index width = bar_width(), height = m.word_size;
    text_.draw(page, "attention weight", {m.margin, top + m.small_size, m.small_size, kSoftInk});
    const Index bar_top = top + m.small_size * 3 / 2;
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x)
        std::memcpy(page.pixel(bar_top + y, m.margin + x),
                    colours_[static_cast<std::size_t>(x * 255 / (width - 1))].data(), 3);
    const Index text_y = bar_top + height + m.small_size * 5 / 4;
    const bool each = options_.scale == HeatScale::kPerWord;
    const double most = options_.scale == HeatScale::kFixed ? options_.fixed_max : shared_;
    for (Index tick = 0; tick <= 2; ++tick) {
      const std::string text = each && tick == 2   ? "max of the panel"
                               : each && tick == 1 ? ""
                               : tick == 0         ? "0"
                                           : short_number(most * static_cast<double>(tick) / 2);
      const Index x = m.margin + tick * (width - 1) / 2;
      for (Index y = 0; y < m.small_size / 3; ++y)
        std::memcpy(page.pixel(bar_top + height + y, x), kSoftInk.data(), 3);
      const Index shift = tick * text_.width(text, m.small_size) / 2;
      text_.draw(page, text, {x - shift, text_y, m.small_size, kSoftInk});
    }
    draw_legend(page, bar_top + height * 3 / 4);
  }

  // Beside the bar: what the outline means and how fine the grid is.
  void draw_legend(Image& page, Index baseline) const {
    const Metrics& m = metrics_;
    const Overlay& first = overlays_.front();
    std::string text = str(first.rows, " x ", first.cols, " grid");
    if (has_samples_) text += ", outlined: the chosen cell";
    const Index x = m.margin + bar_width() + m.word_size;
    text_.draw(page, text_.fitted(text, m.small_size, m.page_width - m.margin - x),
               {x, baseline, m.small_size, kSoftInk});
  }

  std::span<const Overlay> overlays_;
  const OverlayOptions& options_;
  TextPainter text_;
  std::array<Colour, 256> colours_;
  double shared_ = 0;
  Index panels_ = 1, panel_slot_ = 0;
  bool has_samples_ = false;
  Metrics metrics_;
};

}  // namespace

Image draw_sheet(const Overlay& overlay, const OverlayOptions& options) {
  return draw_comparison({&overlay, 1}, options);
}

Image draw_comparison(std::span<const Overlay> overlays, const OverlayOptions& options) {
  SACCADE_CHECK(!overlays.empty(), "[overlay] there is nothing to compare");
  for (const Overlay& overlay : overlays) check_overlay(overlay, options);
  if (options.columns < 0 || options.panel_width < kSmallestPanel || options.panel_width > 4096)
    throw UsageError(str("overlay columns must not be negative and panel_width must be between ",
                         kSmallestPanel, " and 4096; got ", options.columns, " and ",
                         options.panel_width));
  return Sheet(overlays, options).draw();
}

}  // namespace saccade
