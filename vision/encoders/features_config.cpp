#include "vision/encoders/features_config.h"

#include "core/config/fields.h"

namespace saccade {

void FeaturesConfig::fields(Section& v) {
  v.field("path", path,
          "file or folder of the features: a folder with a file per photo (.npy, .npz, .pth, "
          ".safetensors), HDF5, one array with an ids.json beside it, or the TSV of bottom-up "
          "attention or VinVL; which of them, its content tells")
      .is(Trait::kFile)
      .is(Trait::kNeeded)
      .is(Trait::kMayChange);
  v.field("array", array,
          "which array of a file has the features, such as grids; empty = as it is recognised");
  v.field("pooled", pooled,
          "vector of the photo as a whole, as wide as a region's: a file or folder of its own, or "
          "the name of an array beside the features; read by decoder.first_state and "
          "decoder.image; empty = encoder.pooled");
  v.field("layout", layout, "how the regions lie");
  v.field("class_token", class_token, "whether a class token stands among the vectors");
  v.field("regions", regions,
          "most regions of a photo, where their numbers differ; others are left out; 0 = as many "
          "as the photo has that has most",
          between(0, 65536));
  v.field("size", size,
          "width and height of the picture whose pixels boxes are in, where neither the file says "
          "it nor it is the photo's own; empty = as these say",
          {.min = 1, .max = 1 << 20});
}

}  // namespace saccade
