// The data set of a config, whatever its type.
#pragma once

#include <optional>

#include "captioning/data/dataset.h"
#include "captioning/data/scenes/scenes_dataset.h"
#include "core/config/experiment_config.h"
#include "vision/image.h"

namespace saccade {

struct LoadedData {
  Dataset dataset;
  std::optional<ScenesDataset> scenes;  // boxes and facts, where the data set is drawn
  // The picture of image i: read from its file, or drawn. Throws DataError.
  Image image(Index i) const;
  // Test images are evaluated by default where there are any, else validation images.
  Split default_split() const;
};

// Reads or draws the data; `seed` is the experiment's (data.scenes are drawn from a seed of their
// own, so that runs with other seeds see the same scenes). Applies limits and captions_per_image.
LoadedData load_data(const DataConfig& config);

}  // namespace saccade
