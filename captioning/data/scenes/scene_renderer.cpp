#include "captioning/data/scenes/scene_renderer.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"

namespace saccade {

namespace {

constexpr int kSamples = 4;  // samples per side of a pixel, for anti-aliasing
constexpr std::uint64_t kPaint =
    1000;  // the step of random numbers spent in drawing, not in drawing up

Rgb mix(const Rgb& a, const Rgb& b, double share) {
  Rgb out{};
  for (std::size_t c = 0; c < 3; ++c) out[c] = a[c] + (b[c] - a[c]) * share;
  return out;
}

// The canvas in floating point, from 0 to 1.
struct Canvas {
  Index size;
  std::vector<Rgb> pixels;
  Rgb& at(Index row, Index col) { return pixels[static_cast<std::size_t>(row * size + col)]; }
};

void paint_blobs(const Background& background, Random& random, Canvas& canvas) {
  const double size = static_cast<double>(canvas.size);
  for (int blob = 0; blob < 4; ++blob) {
    const double cx = random.uniform() * size, cy = random.uniform() * size;
    const double radius = size * (0.15 + 0.2 * random.uniform());
    for (Index r = 0; r < canvas.size; ++r) {
      for (Index c = 0; c < canvas.size; ++c) {
        const double dx = static_cast<double>(c) + 0.5 - cx, dy = static_cast<double>(r) + 0.5 - cy;
        const double share = std::exp(-(dx * dx + dy * dy) / (2 * radius * radius));
        canvas.at(r, c) = mix(canvas.at(r, c), background.tones[1], 0.8 * share);
      }
    }
  }
}

void paint_background(const Background& background, Canvas& canvas) {
  Random random({.seed = background.seed, .stream = Stream::kScenes, .step = kPaint});
  const double size = static_cast<double>(canvas.size);
  if (background.kind == BackgroundKind::kBlobs) {
    paint_blobs(background, random, canvas);
  } else if (background.kind == BackgroundKind::kGradient) {
    const double ux = std::cos(background.angle) / size, uy = std::sin(background.angle) / size;
    const double reach = (std::abs(ux) + std::abs(uy)) * size / 2;
    for (Index r = 0; r < canvas.size; ++r) {
      for (Index c = 0; c < canvas.size; ++c) {
        const double along = (static_cast<double>(c) + 0.5 - size / 2) * ux +
                             (static_cast<double>(r) + 0.5 - size / 2) * uy;
        canvas.at(r, c) = mix(background.tones[0], background.tones[1], 0.5 + 0.5 * along / reach);
      }
    }
  } else if (background.kind == BackgroundKind::kNoise) {
    for (Rgb& pixel : canvas.pixels) {
      const double grain = 0.16 * (random.uniform() - 0.5);
      for (double& channel : pixel) channel += grain;
    }
  }
}

// The share of the light tone at a point of an object. x and y are in pixels of a 64-pixel scene,
// from the box's corner, so that patterns look the same in scenes of every size.
double pattern(ObjectTexture texture, double x, double y) {
  const auto wave = [](double value, double period) {
    return value / period - std::floor(value / period);
  };
  switch (texture) {
    case ObjectTexture::kPlain:
      return 0;
    case ObjectTexture::kStriped:
      return wave(x + y, 7.4) < 0.5 ? 1 : 0;
    case ObjectTexture::kCheckered:
      return (wave(x, 12.6) < 0.5) != (wave(y, 12.6) < 0.5) ? 1 : 0;
    case ObjectTexture::kDotted: {
      constexpr double kPitch = 7, kRadius = 2.2;
      const double row = std::floor(y / kPitch);
      const double shift = std::fmod(row, 2.0) == 0 ? 0 : kPitch / 2;
      const double dx = wave(x + shift, kPitch) - 0.5, dy = wave(y, kPitch) - 0.5;
      return std::hypot(dx, dy) * kPitch < kRadius ? 1 : 0;
    }
  }
  return 0;
}

// The tones of one object, at points given in pixels from the corner of its box.
class Painter {
 public:
  Painter(const SceneObject& object, double unit)
      : object_(object),
        unit_(unit),
        dark_(mix(object.rgb, {0, 0, 0}, 0.75)),
        light_(mix(object.rgb, {1, 1, 1}, 0.85)) {}

  double outline() const { return 1.2 * unit_; }
  double distance(double x, double y) const {
    const Rect& box = object_.box;
    return shape_distance(object_.shape, 2 * x / box.width - 1, 2 * y / box.height - 1) *
           box.width / 2;
  }
  Rgb inside(double x, double y) const {
    return mix(object_.rgb, light_, pattern(object_.texture, x / unit_, y / unit_));
  }
  const Rgb& dark() const { return dark_; }

 private:
  const SceneObject& object_;
  double unit_;
  Rgb dark_, light_;
};

// Blends the object into the pixel whose upper left corner is at (x, y) from the box's corner.
void paint_pixel(const Painter& painter, double x, double y, Rgb& pixel) {
  // Samples lie within 0.54 of the pixel's centre, and the distance changes by at most 1.1 per
  // pixel (a heart is stretched), so far from an edge one distance serves for all of them.
  constexpr double kFar = 0.6;
  const double middle = painter.distance(x + 0.5, y + 0.5);
  if (middle > kFar) return;
  const bool all_inside = middle < -painter.outline() - kFar;
  Rgb sum{};
  int covered = 0;
  for (int s = 0; s < kSamples * kSamples; ++s) {
    const double px = x + (s % kSamples + 0.5) / kSamples, py = y + (s / kSamples + 0.5) / kSamples;
    const double distance = all_inside ? middle : painter.distance(px, py);
    if (distance > 0) continue;
    ++covered;
    const Rgb tone = distance > -painter.outline() ? painter.dark() : painter.inside(px, py);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += tone[k];
  }
  constexpr double kAll = kSamples * kSamples;
  for (std::size_t k = 0; k < 3; ++k) pixel[k] = (sum[k] + pixel[k] * (kAll - covered)) / kAll;
}

void paint_object(const SceneObject& object, Canvas& canvas) {
  const Painter painter(object, static_cast<double>(canvas.size) / 64);
  const Rect& box = object.box;
  const auto first = [](double edge) { return std::max<Index>(0, static_cast<Index>(edge)); };
  const Index bottom = std::min(canvas.size, static_cast<Index>(std::ceil(box.bottom())));
  const Index right = std::min(canvas.size, static_cast<Index>(std::ceil(box.right())));
  for (Index r = first(box.y); r < bottom; ++r) {
    for (Index c = first(box.x); c < right; ++c) {
      paint_pixel(painter, static_cast<double>(c) - box.x, static_cast<double>(r) - box.y,
                  canvas.at(r, c));
    }
  }
}

}  // namespace

Image render(const Scene& scene) {
  Canvas canvas = {scene.size, std::vector<Rgb>(static_cast<std::size_t>(scene.size * scene.size),
                                                scene.background.tones[0])};
  paint_background(scene.background, canvas);
  for (const SceneObject& object : scene.objects) paint_object(object, canvas);
  Image image;
  image.height = image.width = scene.size;
  image.rgb.reserve(canvas.pixels.size() * 3);
  for (const Rgb& pixel : canvas.pixels) {
    for (const double channel : pixel) {
      image.rgb.push_back(
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(channel, 0.0, 1.0))));
    }
  }
  return image;
}

}  // namespace saccade
