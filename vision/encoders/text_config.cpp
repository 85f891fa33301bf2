#include "vision/encoders/text_config.h"

#include "core/config/fields.h"

namespace saccade {

void TextConfig::fields(Section& v) {
  v.field("length", length,
          "the most tokens of a text, which are the columns of the grid; what a text lacks is "
          "padding",
          between(1, 1024))
      .is(Trait::kInputs);
  v.field("width", width, "width of a token; in a GRU each direction has half of it as its state",
          between(2, 65536));
  v.field("layers", layers, "layers of the GRU, or blocks of the transformer", between(1, 128));
  v.field("heads", heads, "maps per block", between(1, 256))
      .only_with("encoder.type", "text_transformer");
  v.field("multiple", multiple, "hidden width of the dense networks, as a multiple of the width",
          between(1, 64))
      .only_with("encoder.type", "text_transformer");
  v.field("dropout", dropout,
          "share of units that are dropped in training: of what a layer of the GRU reads, and of "
          "what a block of the transformer adds",
          between_open_end(0, 1));
}

}  // namespace saccade
