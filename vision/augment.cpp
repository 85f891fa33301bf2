#include "vision/augment.h"

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
  share("smallest_crop", options.smallest_crop, 0.05, 1);
  share("shift", options.shift, 0, 0.5);
  share("brightness", options.brightness, 0, 1);
  share("contrast", options.contrast, 0, 1);
  share("saturation", options.saturation, 0, 1);
}

double luminance(const std::uint8_t* rgb) {
  return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
}

void jitter(Image& image, double brightness, double contrast, double saturation) {
  double mean = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) mean += luminance(&image.rgb[i]);
  mean *= brightness * 3.0 / static_cast<double>(image.rgb.size());
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    std::uint8_t* pixel = &image.rgb[i];
    const double grey = luminance(pixel);
    for (std::size_t c = 0; c < 3; ++c) {
      const double colour = grey + saturation * (pixel[c] - grey);
      const double value = mean + contrast * (brightness * colour - mean);
      pixel[c] = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
    }
  }
}

}  // namespace

Prepared prepare_augmented(const Image& image, const PrepareOptions& options,
                           const AugmentOptions& augment, Random random) {
  check(augment);
  Geometry geometry = plan_geometry(image.height, image.width, options);
  // Every draw is made whether or not its option is on, so switching one does not move the others.
  const double crop = 1 - random.uniform() * (1 - augment.smallest_crop);
  const double across = (2 * random.uniform() - 1) * augment.shift;
  const double down = (2 * random.uniform() - 1) * augment.shift;
  geometry.mirrored = random.uniform() < augment.flip;
  const auto factor = [&](double strength) { return 1 + (2 * random.uniform() - 1) * strength; };
  const double brightness = factor(augment.brightness);
  const double contrast = factor(augment.contrast);
  const double saturation = factor(augment.saturation);

  Rect& seen = geometry.seen;
  const double width = std::max(1.0, std::round(seen.width * crop));
  const double height = std::max(1.0, std::round(seen.height * crop));
  seen = {std::round(seen.x + (seen.width - width) / 2 + across * width),
          std::round(seen.y + (seen.height - height) / 2 + down * height), width, height};
  Prepared prepared{render_input(image, geometry), geometry};
  if (brightness != 1 || contrast != 1 || saturation != 1)
    jitter(prepared.image, brightness, contrast, saturation);
  return prepared;
}

}  // namespace saccade
