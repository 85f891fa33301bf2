#include "vision/drawing/overlay_panel.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "vision/drawing/colour.h"
#include "vision/drawing/heat_field.h"
#include "vision/drawing/time_axis.h"

namespace saccade {

namespace {

constexpr Colour kFieldColour{64, 224, 255};

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 255.f)));
}

// The photo, paler where heat will be drawn on it.
Image paler(const Image& photo, const Geometry& geometry) {
  constexpr auto grey_share = static_cast<float>(kGreyShare);
  Image out = photo;
  const PixelRect seen = seen_area(geometry, {0, 0, photo.width, photo.height});
  for (Index y = seen.y; y < seen.bottom(); ++y)
    for (Index x = seen.x; x < seen.right(); ++x) {
      std::uint8_t* pixel = out.pixel(y, x);
      const float grey = 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
      for (int c = 0; c < 3; ++c) pixel[c] = to_byte(pixel[c] + grey_share * (grey - pixel[c]));
    }
  return out;
}

float veil(float heat) {
  constexpr auto cold = static_cast<float>(kColdVeil), hot = static_cast<float>(kHotVeil);
  return cold + (hot - cold) * heat;
}

// Draws one word's map on a panel that already shows the photo.
class MapPainter {
 public:
  MapPainter(Canvas& canvas, const PixelRect& area, const Overlay& overlay, const AttentionMap& map,
             const PanelOptions& options)
      : canvas_(canvas),
        area_(area),
        seen_(seen_area(overlay.geometry, area)),
        overlay_(overlay),
        map_(map),
        options_(options),
        scale_(options.full_heat > 0 ? 1 / options.full_heat : 0) {}

  void paint() const {
    if (lacks_pictures(overlay_.geometry)) return paint_curve();
    switch (options_.drawing->style) {
      case OverlayStyle::kHeat:
      case OverlayStyle::kBlend:
      case OverlayStyle::kAlpha:
        paint_layer();
        paint_unseen(options_.drawing->style == OverlayStyle::kAlpha ? 1 : kUnseenCover);
        break;
      case OverlayStyle::kCells:
        if (overlay_.geometry.places) {
          paint_layer();
          frame_boxes();
        } else {
          paint_cells();
        }
        paint_unseen(kUnseenCover);
    }
    if (overlay_.geometry.places && overlay_.geometry.places->boxes.empty()) paint_bars();
    const Index outlined = outlined_region();
    if (outlined < 0) return;
    if (overlay_.field) outline_field(outlined);
    outline_region(outlined);
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
    interpolate(
        map_, overlay_.geometry, {.height = area_.height, .width = area_.width, .part = part},
        [&](Index y, std::span<const float> row) {
          for (std::size_t x = 0; x < row.size(); ++x) {
            const float hot = heat(row[x]);
            const float cover = style == OverlayStyle::kAlpha ? 1 - hot
                                : style == OverlayStyle::kBlend
                                    ? static_cast<float>(kBlendVeil) * hot
                                    : veil(hot);
            layer.cover.push_back(to_byte(255 * cover));
            const Colour& paint = style == OverlayStyle::kAlpha ? kBlack : colour(hot);
            std::copy(paint.begin(), paint.end(), layer.colours.pixel(y, static_cast<Index>(x)));
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
    const GridSize& grid = map_.layout.grid;
    const CellBlock cells = picture_cells(picture_area(overlay_.geometry), grid);
    for (Index region = 0; region < map_.layout.count(); ++region) {
      if (!cells.has(region / grid.cols, region % grid.cols)) continue;
      const float weight = map_.weights[static_cast<std::size_t>(region)];
      const float hot = heat(weight);
      const PixelRect box = on_panel(cell_box(overlay_.geometry, grid, region));
      if (box.width > 0 && box.height > 0)
        canvas_.box(box, {.colour = colour(hot), .cover = static_cast<double>(veil(hot))},
                    str(map_.layout.region_name(region), ": ", weight));
    }
  }

  // The region that was chosen. Of boxes, which overlap, otherwise the one with the largest weight;
  // -1: none.
  Index outlined_region() const {
    if (!overlay_.geometry.places) return map_.chosen;
    if (overlay_.geometry.places->boxes.empty()) return -1;
    if (map_.chosen >= 0) return map_.chosen;
    const auto end = map_.weights.begin() + std::ssize(overlay_.geometry.places->boxes);
    const auto largest = std::max_element(map_.weights.begin(), end);
    if (largest == end || !(*largest > 0)) return -1;
    return largest - map_.weights.begin();
  }

  // Regions of unknown places are a row of bars in their order, as high as their heat.
  void paint_bars() const {
    constexpr double kHighest = 0.4, kCover = 0.85;  // shares of the panel, and of what is below
    const Index count = overlay_.geometry.places->count;
    for (Index region = 0; region < count; ++region) {
      const float weight = map_.weights[static_cast<std::size_t>(region)], hot = heat(weight);
      const Index left = area_.width * region / count, right = area_.width * (region + 1) / count;
      const auto height = static_cast<Index>(
          std::lround(kHighest * static_cast<double>(hot) * static_cast<double>(area_.height)));
      if (height > 0 && right > left)
        canvas_.box({area_.x + left, area_.bottom() - height, right - left, height},
                    {.colour = colour(hot), .cover = kCover},
                    str(map_.layout.region_name(region), ": ", weight));
    }
  }

  // Frames without pictures are a curve over time, with a line at the one that was chosen.
  void paint_curve() const {
    constexpr float kCurveHeat = 0.55F;
    constexpr double kCover = 0.85;
    const RegionBoxes& frames = *overlay_.geometry.places;
    std::vector<float> heights;
    for (Index t = 0; t < frames.count; ++t)
      heights.push_back(heat(map_.weights[static_cast<std::size_t>(t)]));
    const Loop curve = time_curve(frames, heights, area_);
    canvas_.fill({&curve, 1}, {.colour = colour(kCurveHeat), .cover = kCover});
    if (map_.chosen < 0 || map_.chosen >= frames.count) return;
    const auto x = static_cast<Index>(
        std::lround(place_on_axis(frames, map_.chosen) * static_cast<double>(area_.width)));
    const auto tall =
        static_cast<Index>(std::lround((1 - kTimeAxisFoot) * static_cast<double>(area_.height)));
    canvas_.box({area_.x + x, area_.y, std::max<Index>(1, line()), tall}, {.colour = kBlack},
                map_.layout.region_name(map_.chosen));
  }

  // The edges of all boxes in the colours of their heat.
  void frame_boxes() const {
    for (Index region = 0; region < std::ssize(overlay_.geometry.places->boxes); ++region)
      canvas_.frame(on_panel(cell_box(overlay_.geometry, map_.layout.grid, region)),
                    colour(heat(map_.weights[static_cast<std::size_t>(region)])), line());
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
  // Only the part of a region that is not padding lies on the picture.
  void outline_region(Index region) const {
    outline(on_panel(cell_box(overlay_.geometry, map_.layout.grid, region)), kBlack, kWhite);
  }
  void outline_field(Index region) const {
    const Rect box = field_box(overlay_.geometry, *overlay_.field, map_.layout.grid, region);
    outline(on_panel(box), kBlack, kFieldColour);
  }

  Canvas& canvas_;
  PixelRect area_, seen_;
  const Overlay& overlay_;
  const AttentionMap& map_;
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
  SACCADE_CHECK(geometry.seen.width > 0 && geometry.seen.height > 0,
                "[overlay] the seen part is empty");
  for (const auto& [text, map, probability] : overlay.words) {
    const Index regions = map.layout.count();
    SACCADE_CHECK(regions > 0 && static_cast<Index>(map.weights.size()) == regions, "[overlay] '",
                  text, "' has ", map.weights.size(), " weights for a ", map.layout.name());
    for (const float weight : map.weights)
      SACCADE_CHECK(std::isfinite(weight), "[overlay] a weight of '", text,
                    "' is not a finite number");
    SACCADE_CHECK(map.chosen < regions, "[overlay] '", text, "' chose a region that there is not");
  }
  if (!(options.fixed_max > 0 && std::isfinite(options.fixed_max)))
    throw UsageError(str("the weight of full heat must be positive; got ", options.fixed_max));
}

double full_heat(const AttentionMap& map, const OverlayOptions& options, double shared) {
  if (options.scale == HeatScale::kFixed) return options.fixed_max;
  if (options.scale == HeatScale::kShared) return shared;
  return std::max(0.f, *std::max_element(map.weights.begin(), map.weights.end()));
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
                 const AttentionMap& map, const PanelPhoto& photo, const PanelOptions& options) {
  canvas.picture(photo.below, area);
  MapPainter(canvas, area, overlay, map, options).paint();
}

std::string caption_of(const Overlay& overlay) {
  std::string caption = printable(overlay.caption);
  if (overlay.caption.empty())
    for (const LabelledMap& word : overlay.words)
      caption += (caption.empty() ? "" : " ") + printable(word.text);
  return caption.empty() ? "(empty caption)" : caption;
}

double largest_weight(const Overlay& overlay) {
  float largest = 0;
  for (const LabelledMap& word : overlay.words)
    for (const float weight : measured(word.map, overlay.measure).weights)
      largest = std::max(largest, weight);
  return static_cast<double>(largest);
}

namespace {

// A page that consists of one panel.
struct LonePanel {
  const Overlay& overlay;
  const LabelledMap& word;
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
    const AttentionMap map = measured(word.map, overlay.measure);
    paint_panel(canvas, {0, 0, width, height}, overlay, map,
                panel_photo(resized_photo(overlay, height, width), overlay.geometry, options.style),
                {.drawing = &options,
                 .colours = &colours,
                 .full_heat = full_heat(map, options, largest_weight(overlay))});
  }

 private:
  // A side of the photo on the panel.
  Index side(Index of_photo) const {
    const Index longest = std::max(overlay.image->height, overlay.image->width);
    if (options.longest_side == 0 || longest <= options.longest_side) return of_photo;
    return std::max<Index>(1, of_photo * options.longest_side / longest);
  }

  static const LabelledMap& checked(const Overlay& overlay, Index word,
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
