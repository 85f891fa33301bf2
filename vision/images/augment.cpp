#include "vision/images/augment.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace saccade {

namespace {

void check(const AugmentOptions& options) {
  const auto share = [](const char* name, double value, double least, double most) {
    if (!(value >= least && value <= most))
      throw UsageError(
          str("augment.", name, " must be between ", least, " and ", most, "; got ", value));
  };
  share("flip", options.flip, 0, 1);
  share("scale", options.scale, 0.05, 1);
  share("shift_x", options.shift_x, 0, 0.5);
  share("shift_y", options.shift_y, 0, 0.5);
  share("color", options.color, 0, 1);
}

double luminance(const std::uint8_t* rgb) {
  return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
}

// Changes the colours of the picture but not those of padding.
void jitter(Image& image, const PictureArea& area, double brightness, double contrast) {
  const CellBlock pixels = picture_cells(area, {.rows = image.height, .cols = image.width});
  const auto numbers =
      static_cast<double>(3 * (pixels.bottom - pixels.top) * (pixels.right - pixels.left));
  double mean = 0;
  for (Index y = pixels.top; y < pixels.bottom; ++y)
    for (Index x = pixels.left; x < pixels.right; ++x) mean += luminance(image.pixel(y, x));
  mean *= brightness * 3.0 / numbers;
  for (Index y = pixels.top; y < pixels.bottom; ++y)
    for (Index x = pixels.left; x < pixels.right; ++x) {
      std::uint8_t* pixel = image.pixel(y, x);
      for (std::size_t c = 0; c < 3; ++c) {
        const double value = mean + contrast * (brightness * pixel[c] - mean);
        pixel[c] = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
      }
    }
}

}  // namespace

DrawnChanges draw_changes(Index height, Index width, const PrepareOptions& options,
                          const AugmentOptions& augment, Random random) {
  check(augment);
  DrawnChanges drawn{.geometry = plan_geometry(height, width, options)};
  // Every number is drawn whether or not its option is on, so that switching one option does not
  // change what the others draw.
  const double crop = 1 - random.uniform() * (1 - augment.scale);
  const double across = (2 * random.uniform() - 1) * augment.shift_x;
  const double down = (2 * random.uniform() - 1) * augment.shift_y;
  drawn.geometry.mirrored = random.uniform() < augment.flip;
  const auto factor = [&] { return 1 + (2 * random.uniform() - 1) * augment.color; };
  drawn.brightness = factor();
  drawn.contrast = factor();
  random.uniform();  // once a factor of the saturation; the places below are drawn after it
  const auto place = [&](double share) { return augment.scale < 1 ? share : 0.5; };
  const double from_left = place(random.uniform()), from_top = place(random.uniform());

  Rect& seen = drawn.geometry.seen;
  // A pixel of a padded input covers a fractional number of the original's pixels.
  const auto whole = [&](double x) { return options.mode == ResizeMode::kPad ? x : std::round(x); };
  const double part_width = std::max(1.0, whole(seen.width * crop));
  const double part_height = std::max(1.0, whole(seen.height * crop));
  seen = {whole(seen.x + (seen.width - part_width) * from_left + across * part_width),
          whole(seen.y + (seen.height - part_height) * from_top + down * part_height), part_width,
          part_height};
  return drawn;
}

Prepared prepare_augmented(const Image& image, const PrepareOptions& options,
                           const AugmentOptions& augment, Random random) {
  const DrawnChanges drawn = draw_changes(image.height, image.width, options, augment, random);
  Prepared prepared{render_input(image, drawn.geometry, options.padding, options.interpolation),
                    drawn.geometry};
  if (drawn.brightness != 1 || drawn.contrast != 1)
    jitter(prepared.image, picture_area(drawn.geometry), drawn.brightness, drawn.contrast);
  return prepared;
}

}  // namespace saccade
