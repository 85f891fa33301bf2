#include "vision/drawing/overlay_animation.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/parallel/parallel.h"
#include "vision/drawing/apng.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/overlay_panel.h"

namespace saccade {

namespace {

constexpr Index kFrameMargin = 16, kTitleSize = 13, kCaptionSize = 20;
constexpr Index kLineStep = kCaptionSize * 3 / 2, kTitleStep = kTitleSize * 3 / 2;
constexpr double kTallest = 1.25;                  // times the width
constexpr Index kLastWordTimes = 3;                // times as long as any other word
constexpr double kShortest = 0.02, kLongest = 20;  // seconds per word

// The place of a word of the caption, from the caption's top left corner.
struct PlacedWord {
  std::string text;
  PixelRect area;
};

// The part of the page for one model: title, photo and caption.
struct Part {
  const Overlay* overlay = nullptr;
  std::vector<std::string> title{};
  PanelPhoto photo{};
  PixelRect panel{};
  std::vector<PlacedWord> words{};
};

class Animation {
 public:
  Animation(std::span<const Overlay> overlays, const OverlayOptions& options)
      : options_(options), text_(options.font), colours_(colour_table(options.colours)) {
    Index titles = 0, caption = 0, tallest = 0;
    for (const Overlay& overlay : overlays) {
      shared_ = std::max(shared_, largest_weight(overlay));
      Part part = placed(overlay);
      part.panel.x = kFrameMargin + static_cast<Index>(parts_.size()) * (column() + kFrameMargin);
      titles = std::max(titles, static_cast<Index>(part.title.size()));
      tallest = std::max(tallest, part.panel.height);
      for (const PlacedWord& word : part.words) caption = std::max(caption, word.area.bottom());
      frames_ = std::max(frames_, static_cast<Index>(overlay.words.size()));
      parts_.push_back(std::move(part));
    }
    for (Part& part : parts_) part.panel.y = kFrameMargin + titles * kTitleStep;
    caption_top_ = kFrameMargin + titles * kTitleStep + tallest + kFrameMargin / 2;
    height_ = caption_top_ + std::max(caption, kLineStep) + kFrameMargin;
    width_ = kFrameMargin + static_cast<Index>(parts_.size()) * (column() + kFrameMargin);
    if (height_ * width_ > kMaxSheetPixels)
      throw DataError(str("an animation of ", parts_.size(), " captions is too large; draw fewer"));
  }

  std::vector<Frame> frames() const {
    const auto time = std::lround(1000 * options_.seconds_per_word);
    std::vector<Frame> out(static_cast<std::size_t>(frames_));
    parallel::for_each(frames_, [&](Index i) {
      out[static_cast<std::size_t>(i)] = {.picture = draw(i), .milliseconds = time};
    });
    out.back().milliseconds *= kLastWordTimes;
    return out;
  }

 private:
  Index column() const { return options_.panel_width * 3 / 2; }

  Part placed(const Overlay& overlay) const {
    Part part{.overlay = &overlay};
    part.title = text_.wrapped(options_.title ? printable(overlay.title) : "",
                               {.size = kTitleSize, .max_width = column(), .max_lines = 2});
    const Image& image = *overlay.image;
    const double aspect = static_cast<double>(image.height) / static_cast<double>(image.width);
    const double width = static_cast<double>(column()) * std::min(1.0, kTallest / aspect);
    part.panel.width = std::max<Index>(1, std::lround(width));
    part.panel.height = std::max<Index>(1, std::lround(width * aspect));
    part.photo = panel_photo(
        std::make_shared<const Image>(
            prepare(image, {.height = part.panel.height, .width = part.panel.width}).image),
        overlay.geometry, options_.style);
    place_words(part);
    return part;
  }

  void place_words(Part& part) const {
    const Index space = kCaptionSize / 2;
    Index x = 0, y = 0;
    for (const OverlayWord& word : part.overlay->words) {
      PlacedWord placed{.text = text_.fitted(printable(word.text), kCaptionSize, column()),
                        .area = {.height = kLineStep}};
      placed.area.width = text_.width(placed.text, kCaptionSize);
      if (x > 0 && x + placed.area.width > column()) x = 0, y += kLineStep;
      placed.area.x = x;
      placed.area.y = y;
      x += placed.area.width + space;
      part.words.push_back(std::move(placed));
    }
  }

  Image draw(Index frame) const {
    // OpenCV's font may be used by one thread at a time.
    const TextPainter painter(options_.font);
    PixelCanvas canvas(height_, width_, &painter);
    for (const Part& part : parts_) {
      draw_title(canvas, part);
      const auto& words = part.overlay->words;
      if (words.empty()) {
        canvas.picture(part.photo.plain, part.panel);
        canvas.text(caption_of(*part.overlay), {.x = part.panel.x,
                                                .y = caption_top_ + kCaptionSize,
                                                .size = kCaptionSize,
                                                .colour = kSoftInk});
        continue;
      }
      const std::size_t current = std::min(static_cast<std::size_t>(frame), words.size() - 1);
      paint_panel(canvas, part.panel, *part.overlay, words[current], part.photo,
                  {.drawing = &options_,
                   .colours = &colours_,
                   .full_heat = full_heat(words[current], options_, shared_)});
      draw_caption(canvas, part, current);
    }
    return canvas.take();
  }

  static void draw_title(Canvas& canvas, const Part& part) {
    Index y = kFrameMargin;
    for (const std::string& line : part.title) {
      canvas.text(line,
                  {.x = part.panel.x, .y = y + kTitleSize, .size = kTitleSize, .colour = kSoftInk});
      y += kTitleStep;
    }
  }

  void draw_caption(Canvas& canvas, const Part& part, std::size_t current) const {
    for (std::size_t w = 0; w < part.words.size(); ++w) {
      const auto& [text, place] = part.words[w];
      const PixelRect area{part.panel.x + place.x, caption_top_ + place.y, place.width,
                           place.height};
      if (w == current)
        canvas.box(
            {area.x - kCaptionSize / 5, area.y, area.width + 2 * kCaptionSize / 5, area.height},
            kInk);
      canvas.text(text, {.x = area.x,
                         .y = area.y + kCaptionSize * 21 / 20,
                         .size = kCaptionSize,
                         .colour = w == current  ? kWhite
                                   : w < current ? kInk
                                                 : kSoftInk});
    }
  }

  const OverlayOptions& options_;
  TextPainter text_;
  std::array<Colour, 256> colours_;
  double shared_ = 0;
  std::vector<Part> parts_;
  Index frames_ = 1, caption_top_ = 0, height_ = 0, width_ = 0;
};

}  // namespace

std::string animation_file(std::span<const Overlay> overlays, const OverlayOptions& options) {
  if (!(options.seconds_per_word >= kShortest && options.seconds_per_word <= kLongest))
    throw UsageError(str("a word of an animation stays between ", kShortest, " and ", kLongest,
                         " seconds; got ", options.seconds_per_word));
  return encode_apng(Animation(overlays, options).frames());
}

}  // namespace saccade
