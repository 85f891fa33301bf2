#include "vision/drawing/overlay_panel.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/heat_field.h"

namespace saccade {

namespace {

constexpr double kUnseenCover = 0.65;  // how dark the part is that the network did not see
constexpr float kGreyShare = 0.5f;     // so that colours of the photo are not taken for heat
constexpr float kColdVeil = 0.35f;     // how much of the photo the colour map covers at weight 0
constexpr float kHotVeil = 0.7f;       // the same at full heat
constexpr float kBlendVeil = 0.75f;    // the same for `blend`, where weight 0 covers nothing
constexpr Colour kFieldColour{64, 224, 255};

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 255.f)));
}

// The photo, paler where heat will be drawn on it.
Image paler(const Image& photo, const Geometry& geometry) {
  Image out = photo;
  const PixelRect seen = seen_area(geometry, {0, 0, photo.width, photo.height});
  for (Index y = seen.y; y < seen.bottom(); ++y)
    for (Index x = seen.x; x < seen.right(); ++x) {
      std::uint8_t* pixel = out.pixel(y, x);
      const float grey = 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
      for (int c = 0; c < 3; ++c) pixel[c] = to_byte(pixel[c] + kGreyShare * (grey - pixel[c]));
    }
  return out;
}

float veil(float heat) { return kColdVeil + (kHotVeil - kColdVeil) * heat; }

// Draws one word's map on a panel that already shows the photo.
class MapPainter {
 public:
  MapPainter(Canvas& canvas, const PixelRect& area, const Overlay& overlay, const OverlayWord& word,
             const PanelOptions& options)
      : canvas_(canvas),
        area_(area),
        seen_(seen_area(overlay.geometry, area)),
        overlay_(overlay),
        word_(word),
        options_(options),
        scale_(options.full_heat > 0 ? 1 / options.full_heat : 0) {}

  void paint() const {
    switch (options_.drawing->style) {
      case OverlayStyle::kHeat:
      case OverlayStyle::kBlend:
      case OverlayStyle::kAlpha:
        paint_layer();
        paint_unseen(options_.drawing->style == OverlayStyle::kAlpha ? 1 : kUnseenCover);
        break;
      case OverlayStyle::kCells:
        paint_cells();
        paint_unseen(kUnseenCover);
    }
    if (!word_.chosen) return;
    if (overlay_.field) outline_field(*word_.chosen);
    outline_cell(*word_.chosen);
  }

 private:
  float heat(float weight) const {
    return std::clamp(weight * static_cast<float>(scale_), 0.f, 1.f);
  }
  const Colour& colour(float heat) const {
    return (*options_.colours)[static_cast<std::size_t>(std::lround(heat * 255))];
  }

  void paint_layer() const {
    if (seen_.width == 0 || seen_.height == 0) return;
    Layer layer{.colours = Image(seen_.height, seen_.width), .cover = {}};
    layer.cover.reserve(static_cast<std::size_t>(seen_.height * seen_.width));
    const OverlayStyle style = options_.drawing->style;
    const PixelRect part{seen_.x - area_.x, seen_.y - area_.y, seen_.width, seen_.height};
    interpolate(overlay_, word_, {.height = area_.height, .width = area_.width, .part = part},
                [&](Index y, std::span<const float> row) {
                  for (std::size_t x = 0; x < row.size(); ++x) {
                    const float hot = heat(row[x]);
                    const float cover = style == OverlayStyle::kAlpha   ? 1 - hot
                                        : style == OverlayStyle::kBlend ? kBlendVeil * hot
                                                                        : veil(hot);
                    layer.cover.push_back(to_byte(255 * cover));
                    const Colour& paint = style == OverlayStyle::kAlpha ? kBlack : colour(hot);
                    std::copy(paint.begin(), paint.end(),
                              layer.colours.pixel(y, static_cast<Index>(x)));
                  }
                });
    canvas_.layer(layer, seen_);
  }

  // Darkens what lies around the seen part.
  void paint_unseen(double cover) const {
    const auto shade = [&](const PixelRect& area) {
      if (area.width > 0 && area.height > 0)
        canvas_.box(area, {.colour = kBlack, .cover = cover}, "");
    };
    shade({area_.x, area_.y, area_.width, seen_.y - area_.y});
    shade({area_.x, seen_.bottom(), area_.width, area_.bottom() - seen_.bottom()});
    shade({area_.x, seen_.y, seen_.x - area_.x, seen_.height});
    shade({seen_.right(), seen_.y, area_.right() - seen_.right(), seen_.height});
  }

  void paint_cells() const {
    const GridSize& grid = overlay_.grid;
    const CellBlock cells = picture_cells(picture_area(overlay_.geometry), grid);
    for (Index cell = 0; cell < grid.cells(); ++cell) {
      const Index row = cell / grid.cols, col = cell % grid.cols;
      if (!cells.has(row, col)) continue;
      const float weight = word_.weights[static_cast<std::size_t>(cell)];
      const float hot = heat(weight);
      const PixelRect box = on_panel(cell_box(overlay_.geometry, grid, cell));
      if (box.width > 0 && box.height > 0)
        canvas_.box(box, {.colour = colour(hot), .cover = static_cast<double>(veil(hot))},
                    str("row ", row, ", column ", col, ": ", weight));
    }
  }

  // The pixels of the panel whose centres lie in a rectangle of the original.
  PixelRect on_panel(const Rect& box) const {
    Geometry of_box = overlay_.geometry;
    of_box.seen = box;
    return seen_area(of_box, area_);
  }
  Index line() const { return std::max<Index>(1, std::min(area_.width, area_.height) / 300); }

  void outline(const PixelRect& box, const Colour& outside, const Colour& inside) const {
    canvas_.frame(box, outside, line());
    const PixelRect within{box.x + line(), box.y + line(), box.width - 2 * line(),
                           box.height - 2 * line()};
    if (within.width > 0 && within.height > 0) canvas_.frame(within, inside, line());
  }
  // Only the part of a cell that is not padding lies on the picture.
  void outline_cell(Index cell) const {
    outline(on_panel(cell_box(overlay_.geometry, overlay_.grid, cell)), kBlack, kWhite);
  }
  void outline_field(Index cell) const {
    const Rect box = field_box(overlay_.geometry, *overlay_.field, overlay_.grid, cell);
    outline(on_panel(box), kBlack, kFieldColour);
  }

  Canvas& canvas_;
  PixelRect area_, seen_;
  const Overlay& overlay_;
  const OverlayWord& word_;
  const PanelOptions& options_;
  double scale_;
};

}  // namespace

void check_overlay(const Overlay& overlay, const OverlayOptions& options) {
  const Geometry& geometry = overlay.geometry;
  SACCADE_CHECK(overlay.image && !overlay.image->empty(), "[overlay] there is no image");
  SACCADE_CHECK(overlay.image->height == geometry.original_height &&
                    overlay.image->width == geometry.original_width,
                "[overlay] the geometry is of an image of ", geometry.original_height, "x",
                geometry.original_width, "; got ", overlay.image->height, "x",
                overlay.image->width);
  SACCADE_CHECK(overlay.grid.rows > 0 && overlay.grid.cols > 0 && geometry.seen.width > 0 &&
                    geometry.seen.height > 0,
                "[overlay] the grid or the seen part is empty");
  const Index regions = overlay.grid.cells();
  for (const OverlayWord& word : overlay.words) {
    SACCADE_CHECK(static_cast<Index>(word.weights.size()) == regions, "[overlay] '", word.text,
                  "' has ", word.weights.size(), " weights for a grid of ", overlay.grid.rows, "x",
                  overlay.grid.cols);
    for (const float weight : word.weights)
      SACCADE_CHECK(std::isfinite(weight), "[overlay] a weight of '", word.text,
                    "' is not a finite number");
    SACCADE_CHECK(!word.chosen || (*word.chosen >= 0 && *word.chosen < regions), "[overlay] '",
                  word.text, "' chose a cell that is not on the grid");
  }
  if (!(options.fixed_max > 0 && std::isfinite(options.fixed_max)))
    throw UsageError(str("the weight of full heat must be positive; got ", options.fixed_max));
}

double full_heat(const OverlayWord& word, const OverlayOptions& options, double shared) {
  if (options.scale == HeatScale::kFixed) return options.fixed_max;
  if (options.scale == HeatScale::kShared) return shared;
  return std::max(0.f, *std::max_element(word.weights.begin(), word.weights.end()));
}

std::shared_ptr<const Image> resized_photo(const Overlay& overlay, Index height, Index width) {
  if (height == overlay.image->height && width == overlay.image->width) return overlay.image;
  // The geometry of squash does what is needed here: it resizes to any size with good quality.
  return std::make_shared<const Image>(
      prepare(*overlay.image, {.height = height, .width = width}).image);
}

PanelPhoto panel_photo(std::shared_ptr<const Image> photo, const Geometry& geometry,
                       OverlayStyle style) {
  const bool pale = style == OverlayStyle::kHeat || style == OverlayStyle::kCells;
  auto below = pale ? std::make_shared<const Image>(paler(*photo, geometry)) : photo;
  return {.plain = std::move(photo), .below = std::move(below)};
}

void paint_panel(Canvas& canvas, const PixelRect& area, const Overlay& overlay,
                 const OverlayWord& word, const PanelPhoto& photo, const PanelOptions& options) {
  canvas.picture(photo.below, area);
  MapPainter(canvas, area, overlay, word, options).paint();
}

std::string caption_of(const Overlay& overlay) {
  std::string caption = printable(overlay.caption);
  if (overlay.caption.empty())
    for (const OverlayWord& word : overlay.words)
      caption += (caption.empty() ? "" : " ") + printable(word.text);
  return caption.empty() ? "(empty caption)" : caption;
}

double largest_weight(const Overlay& overlay) {
  float largest = 0;
  for (const OverlayWord& word : overlay.words)
    for (const float weight : word.weights) largest = std::max(largest, weight);
  return static_cast<double>(largest);
}

namespace {

// A page that consists of one panel.
struct LonePanel {
  const Overlay& overlay;
  const OverlayWord& word;
  const OverlayOptions& options;
  Index height, width;

  LonePanel(const Overlay& of, Index number, const OverlayOptions& how)
      : overlay(of),
        word(checked(of, number, how)),
        options(how),
        height(side(of.image->height)),
        width(side(of.image->width)) {}

  void draw(Canvas& canvas) const {
    const std::array<Colour, 256> colours = colour_table(options.colours);
    paint_panel(canvas, {0, 0, width, height}, overlay, word,
                panel_photo(resized_photo(overlay, height, width), overlay.geometry, options.style),
                {.drawing = &options,
                 .colours = &colours,
                 .full_heat = full_heat(word, options, largest_weight(overlay))});
  }

 private:
  // A side of the photo on the panel.
  Index side(Index of_photo) const {
    const Index longest = std::max(overlay.image->height, overlay.image->width);
    if (options.longest_side == 0 || longest <= options.longest_side) return of_photo;
    return std::max<Index>(1, of_photo * options.longest_side / longest);
  }

  static const OverlayWord& checked(const Overlay& overlay, Index word,
                                    const OverlayOptions& options) {
    check_overlay(overlay, options);
    SACCADE_CHECK(word >= 0 && word < static_cast<Index>(overlay.words.size()),
                  "[overlay] there is no word ", word);
    return overlay.words[static_cast<std::size_t>(word)];
  }
};

}  // namespace

Image draw_panel(const Overlay& overlay, Index word, const OverlayOptions& options) {
  const LonePanel panel(overlay, word, options);
  PixelCanvas canvas(panel.height, panel.width, nullptr);
  panel.draw(canvas);
  return canvas.take();
}

std::string panel_file(const Overlay& overlay, Index word, const OverlayOptions& options,
                       PictureFormat format) {
  const LonePanel panel(overlay, word, options);
  return picture_file(format,
                      {.height = panel.height,
                       .width = panel.width,
                       .title = str(overlay.title, ": ", panel.word.text),
                       .font = options.font},
                      nullptr, [&](Canvas& canvas) { panel.draw(canvas); });
}

}  // namespace saccade
