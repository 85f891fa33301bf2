// The regions of drawn scenes as a detector would give them: a box around every object and some
// around the background, each a little off, with features of what is in it.
#pragma once

#include <string>

#include "captioning/data/scenes/scenes_dataset.h"

namespace saccade {

// A region's features: the attributes of its object (or that it is background) times a matrix that
// all scenes share, plus noise, behind a ReLU, as features of detectors are.
inline constexpr Index kSceneFeatures = 32;

// The regions of all scenes, a line for each scene, in the form of bottom-up attention's TSV. Those
// of a scene depend on its id and the seed alone, and are in no order.
std::string scene_regions_table(const ScenesDataset& scenes, std::uint64_t seed);

}  // namespace saccade
