#include "vision/encoders/vit_config.h"

#include "core/config/fields.h"

namespace saccade {

void VitConfig::fields(Section& v) {
  v.field("size", size, "gives width, layers and heads where they are null");
  v.field("width", width, "width of a token", between(1, 65536));
  v.field("layers", layers, "blocks of self-attention and a dense network", between(1, 128));
  v.field("heads", heads, "maps per block", between(1, 256));
  v.field("patch", patch, "side of a patch: pixels (vit), cells of the CNN's grid (hybrid)",
          between(1, 256));
  v.field("overlap", overlap,
          "how far the embedding of a patch sees into its neighbours, in the unit of `patch`",
          between(0, 256));
  v.section("attention", attention, "how tokens attend to each other");
  v.field("norm", norm, "where the layers of a block normalise");
  v.field("multiple", multiple, "hidden width of the dense networks, as a multiple of the width",
          between(1, 64));
  v.field("class_token", class_token, "an additional token, for the image as a whole");
  v.field("registers", registers,
          "number of additional tokens without a place in the picture (Darcet et al. 2024)",
          between(0, 256));
  v.field("dropout", dropout, "share of units that are dropped in training",
          between_open_end(0, 1));
  v.field("start", start, "initial weights of self-attention");
}

}  // namespace saccade
