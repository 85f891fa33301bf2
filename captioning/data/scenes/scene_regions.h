// The regions of drawn scenes as a detector would give them: a box around every object and some
// around the background, each a little off, with features of what is in it.
#pragma once

#include <filesystem>
#include <string>

#include "captioning/data/scenes/scenes_dataset.h"

namespace saccade {

// A region's features: the attributes of its object (or that it is background) times a matrix that
// all scenes share, plus noise, behind a ReLU, as features of detectors are.
inline constexpr Index kSceneFeatures = 32;

// The regions of all scenes, a line for each scene, in the form of bottom-up attention's TSV. Those
// of a scene depend on its id and the seed alone, and are in no order.
std::string scene_regions_table(const ScenesDataset& scenes, std::uint64_t seed);

// Writes the frames of scenes that move as a network for films would give them, which sees pictures
// and, apart from them, how they change (Simonyan and Zisserman 2014): the attributes of all
// objects, and those of the one that moves times its way since the frame before, both times
// matrices that all scenes share, plus noise, behind a ReLU. A safetensors file with arrays
// ID_features [frames, kFrameFeatures] and ID_times [frames] in seconds. Throws IoError.
inline constexpr Index kFrameFeatures = 64;
void write_scene_frames(const std::filesystem::path& file, const ScenesDataset& scenes,
                        std::uint64_t seed);

}  // namespace saccade
