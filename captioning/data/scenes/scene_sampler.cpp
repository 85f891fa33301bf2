#include "captioning/data/scenes/scene_sampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace saccade {

namespace {

// Hue in [0, 6), saturation and value in [0, 1].
Rgb hsv(double hue, double saturation, double value) {
  Rgb out{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double k = std::fmod((c == 0 ? 5.0 : c == 1 ? 3.0 : 1.0) + hue, 6.0);
    out[c] = value - value * saturation * std::clamp(std::min(k, 4 - k), 0.0, 1.0);
  }
  return out;
}

struct Tone {
  double hue, saturation, value;
};
// The tones are far apart in hue, and in brightness where hues are near each other.
constexpr std::array<Tone, 6> kTones = {{{0.0, 0.85, 0.87},
                                         {0.83, 0.82, 0.96},
                                         {2.1, 0.72, 0.62},
                                         {3.05, 0.75, 0.90},
                                         {3.75, 0.80, 0.88},
                                         {4.75, 0.70, 0.72}}};

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

template <class Enum, std::size_t N>
Enum pick(Random& random, const std::array<std::string_view, N>&) {
  return static_cast<Enum>(random.below(N));
}

Background sample_background(Random& random) {
  Background out;
  out.kind = static_cast<BackgroundKind>(random.below(4));
  const double hue = between(random, 0, 6), value = between(random, 0.45, 0.88);
  // The second tone is nearer to the middle, so that both stay muted.
  const double other = value + (value < 0.65 ? 1 : -1) * between(random, 0.1, 0.2);
  out.tones[0] = hsv(hue, between(random, 0.04, 0.18), value);
  out.tones[1] =
      hsv(std::fmod(hue + between(random, -1, 1) + 6, 6.0), between(random, 0.04, 0.18), other);
  out.angle = between(random, 0, 2 * std::numbers::pi);
  out.seed = random.bits();
  return out;
}

ObjectTexture sample_texture(Random& random, ObjectSize size) {
  // A texture is not visible on a small object, so small objects are plain.
  if (size == ObjectSize::kSmall || random.uniform() < 0.5) return ObjectTexture::kPlain;
  return static_cast<ObjectTexture>(1 + random.below(3));
}

// What a scene may show.
struct Rules {
  ScenePart part;
  UnseenKind unseen;
  bool allow(const ObjectKind& kind) const {
    return part == ScenePart::kTest || !is_held_out(kind, unseen);
  }
};

ObjectKind sample_kind(Random& random, const Rules& rules) {
  for (;;) {
    ObjectKind kind = {.shape = pick<ObjectShape>(random, kShapeWords),
                       .colour = pick<ObjectColour>(random, kColourWords),
                       .size = pick<ObjectSize>(random, kSizeWords)};
    kind.texture = sample_texture(random, kind.size);
    if (rules.allow(kind)) return kind;
  }
}

// Two objects have both shape and colour in common or neither, so that a colour points at one thing
// or at several equal ones. Where there are only two, they may share the shape alone.
bool go_together(const ObjectKind& kind, const std::vector<ObjectKind>& others, std::size_t count) {
  return std::all_of(others.begin(), others.end(), [&](const ObjectKind& other) {
    const bool shape = kind.shape == other.shape, colour = kind.colour == other.colour;
    return shape == colour || (shape && count == 2);
  });
}

// What a scene shows: often things of one kind or one shape, so that there is something to count.
std::vector<ObjectKind> sample_kinds(Random& random, std::size_t count, const Rules& rules) {
  std::vector<ObjectKind> kinds = {sample_kind(random, rules)};
  while (rules.part == ScenePart::kTest && !is_held_out(kinds.front(), rules.unseen)) {
    kinds.front() = sample_kind(random, rules);
  }
  while (kinds.size() < count) {
    ObjectKind kind = sample_kind(random, rules);
    const ObjectKind& model = kinds[random.below(kinds.size())];
    const double draw = random.uniform();
    if (draw < 0.28) kind.shape = model.shape;
    if (draw < 0.22) kind.colour = model.colour;
    if (rules.allow(kind) && go_together(kind, kinds, count)) kinds.push_back(kind);
  }
  return kinds;
}

bool apart(double distance, double size) {
  return distance <= kAligned * size || distance >= kApart * size;
}

bool fits(const Rect& box, const std::vector<SceneObject>& others, double size) {
  const double gap = size * 7 / 64;  // keeps other things out of the regions of a thing
  return std::all_of(others.begin(), others.end(), [&](const SceneObject& other) {
    const double dx = std::abs(box.centre_x() - other.box.centre_x());
    const double dy = std::abs(box.centre_y() - other.box.centre_y());
    const bool clear = dx >= (box.width + other.box.width) / 2 + gap ||
                       dy >= (box.height + other.box.height) / 2 + gap;
    return clear && apart(dx, size) && apart(dy, size);
  });
}

// Places every object at random. Returns false if there is no space for one.
bool place(Random& random, const std::vector<ObjectKind>& kinds, Scene& scene) {
  const double size = static_cast<double>(scene.size), unit = size / 64;
  scene.objects.clear();
  for (const ObjectKind& kind : kinds) {
    SceneObject object;
    object.shape = kind.shape;
    object.colour = kind.colour;
    object.size = kind.size;
    object.texture = kind.texture;
    const bool large = object.size == ObjectSize::kLarge;
    const Tone& tone = kTones[static_cast<std::size_t>(kind.colour)];
    object.rgb = hsv(std::fmod(tone.hue + between(random, -0.13, 0.13) + 6, 6.0),
                     tone.saturation + between(random, -0.12, 0.12),
                     tone.value + between(random, -0.12, 0.04));
    const double side = unit * (large ? between(random, 24, 27) : between(random, 14.5, 17));
    bool placed = false;
    for (int attempt = 0; attempt < 60 && !placed; ++attempt) {
      object.box = {between(random, unit, size - unit - side),
                    between(random, unit, size - unit - side), side, side};
      placed = fits(object.box, scene.objects, size);
    }
    if (!placed) return false;
    scene.objects.push_back(object);
  }
  return true;
}

std::size_t sample_count(Random& random, Index objects_max) {
  const double draw = random.uniform();
  const Index count = draw < 0.40 ? 1 : draw < 0.88 ? 2 : 3;
  return static_cast<std::size_t>(std::min(count, objects_max));
}

}  // namespace

bool is_held_out(const ObjectKind& kind, UnseenKind unseen) {
  const auto shape = static_cast<std::size_t>(kind.shape);
  const auto colour = static_cast<std::size_t>(kind.colour);
  const auto texture = static_cast<std::size_t>(kind.texture);
  const bool pair = shape == (colour + 1) % kShapeWords.size();
  switch (unseen) {
    case UnseenKind::kTexture:
      return kind.texture != ObjectTexture::kPlain && (colour + texture) % 3 != 0 &&
             shape == (colour + 2 * texture) % kShapeWords.size();
    case UnseenKind::kSize:
      return pair && kind.size == ObjectSize::kLarge;
    case UnseenKind::kPair:
      return pair;
  }
  return false;
}

Scene sample_scene(const SceneSampler& sampler, ScenePart part, std::uint64_t index) {
  if (sampler.size < 32 || sampler.size > 1024) {
    throw UsageError(str("scenes: size must be 32 to 1024 pixels, got ", sampler.size));
  }
  if (sampler.objects_max < 1 || sampler.objects_max > 3) {
    throw UsageError(str("scenes: objects_max must be 1, 2 or 3, got ", sampler.objects_max));
  }
  Random random({.seed = sampler.seed,
                 .stream = Stream::kScenes,
                 .step = static_cast<std::uint64_t>(part),
                 .sample = index});
  Scene scene;
  scene.size = sampler.size;
  scene.background = sample_background(random);
  const std::size_t count = sample_count(random, sampler.objects_max);
  const std::vector<ObjectKind> kinds =
      sample_kinds(random, count, {.part = part, .unseen = sampler.unseen});
  while (!place(random, kinds, scene)) {
  }
  // Otherwise the first object would always be the one that the part is about.
  random.shuffle(scene.objects);
  return scene;
}

}  // namespace saccade
