// Draws scenes from (seed, split, index) alone: a scene is the same whatever was drawn before it.
// Objects never overlap, and things of different shape differ in colour. Along each axis two
// centres are either aligned or clearly apart, so that every relation between two objects is
// plainly true or plainly false.
#pragma once

#include <cstdint>

#include "captioning/data/scenes/scene.h"
#include "captioning/data/scenes/scenes_config.h"
#include "core/base/random.h"

namespace saccade {

struct SceneSampler {
  std::uint64_t seed = 1;
  Index size = 64;        // pixels, 32 .. 1024
  Index objects_max = 3;  // 1 .. 3
  UnseenKind unseen = UnseenKind::kTexture;
};

// Where a scene belongs. Training and validation never show a held-out combination; every test
// scene shows at least one.
enum class ScenePart : std::uint8_t { kTrain, kVal, kTest };

// What an object is, apart from where it is.
struct ObjectKind {
  ObjectShape shape = ObjectShape::kCircle;
  ObjectColour colour = ObjectColour::kRed;
  ObjectSize size = ObjectSize::kSmall;
  ObjectTexture texture = ObjectTexture::kPlain;
};

// Whether the kind is kept for the test part:
//   texture  of every colour two textures, on one shape each (12 of 126 combinations),
//   size     of every colour one large shape (6 of 84),
//   pair     of every colour one shape (6 of 42).
// Training shows all others, and so each attribute. For texture and size it also shows every pair
// of attributes.
bool is_held_out(const ObjectKind& kind, UnseenKind unseen);

// Centres closer than kAligned * size along an axis are aligned, and centres farther apart than
// kApart * size are apart. The sampler leaves nothing between. A relation holds from
// kRelationMargin * size on.
inline constexpr double kAligned = 1.0 / 32, kRelationMargin = 1.0 / 16, kApart = 3.0 / 32;

// Draws scene number `index` of a part. Throws UsageError when an option of the sampler is out of
// its range.
Scene sample_scene(const SceneSampler& sampler, ScenePart part, std::uint64_t index);

}  // namespace saccade
