#include "captioning/data/scenes/scenes_config.h"

#include "core/config/fields.h"

namespace saccade {

void ScenesConfig::fields(Section& v) {
  v.field("train", train, "scenes to train on", between(1, 1e7));
  v.field("val", val, "scenes to validate on", between(1, 1e7));
  v.field("test", test, "scenes to test on, with combinations that training lacks",
          between(1, 1e7));
  v.field("size", size, "side of a scene in pixels", between(32, 1024));
  v.field("objects_max", objects_max, "largest number of objects in a scene", between(1, 3));
  v.field("unseen", unseen, "which combinations only test scenes show");
  v.field("frames", frames,
          "frames of scenes that move, whose captions say what moves where, one after the other; "
          "1 = scenes stand still",
          between(1, 64));
  v.field("seed", seed, "seed of the scenes; the seed of the run is for weights and batches",
          at_least(0));
}

}  // namespace saccade
