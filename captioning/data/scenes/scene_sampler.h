// Draws scenes from (seed, split, index) alone: the same scene whatever was drawn before it.
// Objects never overlap, things of different shape differ in colour, and along each axis two
// centres are either aligned or clearly apart, so that every relation between two objects is
// plainly true or plainly false.
#pragma once

#include <cstdint>

#include "captioning/data/scenes/scene.h"
#include "core/base/random.h"

namespace saccade {

struct SceneSampler {
  std::uint64_t seed = 1;
  Index size = 64;        // pixels, 32 .. 1024
  Index objects_max = 3;  // 1 .. 3
};

// Where a scene belongs. Training and validation never show a held-out combination of texture,
// colour and shape; every test scene shows at least one.
enum class ScenePart : std::uint8_t { kTrain, kVal, kTest };

// What an object is, apart from its place.
struct ObjectKind {
  ObjectShape shape = ObjectShape::kCircle;
  ObjectColour colour = ObjectColour::kRed;
  ObjectSize size = ObjectSize::kSmall;
  ObjectTexture texture = ObjectTexture::kPlain;
};

// Whether the combination is kept for the test part: for every colour, two textures on one shape
// each, twelve in all. Training shows that shape in that colour with other textures, and with that
// texture in other colours; only the three together are new.
bool is_held_out(const ObjectKind& kind);

// Centres closer than kAligned * size along an axis are aligned, farther than kApart * size are
// apart; the sampler leaves nothing between, and a relation holds beyond kRelationMargin * size.
inline constexpr double kAligned = 1.0 / 32, kRelationMargin = 1.0 / 16, kApart = 3.0 / 32;

// The scene number `index` of a part. Throws UsageError when the sampler's options are out of
// their ranges.
Scene sample_scene(const SceneSampler& sampler, ScenePart part, std::uint64_t index);

}  // namespace saccade
