// The built-in data set: scenes drawn from a seed, as a Dataset whose images are no files.
#pragma once

#include <cstdint>
#include <vector>

#include "captioning/data/dataset.h"
#include "captioning/data/scenes/caption_grammar.h"
#include "captioning/data/scenes/scene.h"
#include "captioning/data/scenes/scenes_config.h"

namespace saccade {

struct ScenesOptions {
  std::uint64_t seed = 1;
  Index train = 4000, val = 400, test = 400;  // scenes per split
  Index size = 64;                            // pixels
  Index objects_max = 3;
  UnseenKind unseen = UnseenKind::kTexture;
  Index frames = 1;    // of scenes that move, 3 .. 64; 1: they stand still
  Index captions = 5;  // the most captions per scene
};

// All members are parallel to dataset.images: scene i is what image i shows, and captions[i][k] is
// dataset.images[i].captions[k] with its noun phrases.
struct ScenesDataset {
  Dataset dataset;
  std::vector<Scene> scenes;
  std::vector<std::vector<SceneCaption>> captions;
};

// Draws the data set. Every test scene shows a combination of attributes that train and val never
// show. A scene depends only on seed, split and its number in the split, so a larger data
// set begins with the smaller one. Throws UsageError for options out of range.
ScenesDataset scenes_dataset(const ScenesOptions& options);

}  // namespace saccade
