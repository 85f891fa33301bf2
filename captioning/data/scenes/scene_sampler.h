// Draws scenes from (seed, split, index) alone: the same scene whatever was drawn before it.
// Objects never overlap, and along each axis two centres are either aligned or clearly apart, so
// that every relation between two objects is plainly true or plainly false.
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

// Where a scene belongs. Training and validation never show a held-out pair of shape and colour;
// every test scene shows at least one.
enum class ScenePart : std::uint8_t { kTrain, kVal, kTest };

// Whether the pair is kept for the test part: one shape of every colour, each shape at most once,
// so that training still shows every shape and every colour.
bool is_held_out(ObjectShape shape, ObjectColour colour);

// Centres closer than kAligned * size along an axis are aligned, farther than kApart * size are
// apart; the sampler leaves nothing between, and a relation holds beyond kRelationMargin * size.
inline constexpr double kAligned = 1.0 / 32, kRelationMargin = 1.0 / 16, kApart = 3.0 / 32;

// The scene number `index` of a part. Throws UsageError when the sampler's options are out of
// their ranges.
Scene sample_scene(const SceneSampler& sampler, ScenePart part, std::uint64_t index);

}  // namespace saccade
