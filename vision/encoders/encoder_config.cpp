#include "vision/encoders/encoder_config.h"

#include "core/config/fields.h"
#include "vision/encoders/encoder_traits.h"

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

void AugmentConfig::fields(Section& v) {
  v.field("flip", flip, "mirror half of the images; wrong if captions mention left or right");
  v.field("shift", shift, "largest shift in pixels of the network's input", between(0, 128));
  v.field("scale", scale,
          "smallest side of the part that the network sees, as a share of the picture's; the "
          "part lies anywhere in the picture; 1 = always the whole picture",
          between(0.1, 1));
  v.field("color", color, "largest relative change of brightness and contrast", between(0, 1));
  v.field("views", views,
          "for a frozen encoder: number of views of each training photo, whose features are "
          "computed once; the first is the photo as it is, the others are changed; 0 or 1 = only "
          "the first",
          between(0, 64))
      .only_with("encoder.frozen_stages", "-1");
}

void EncoderConfig::fields(Section& v) {
  // Where the encoder is frozen, what it computes is an input of the model and not a part of it.
  const ReadRule frozen = when("encoder.type", "features").or_when("encoder.frozen_stages", "-1");
  const auto reads_text = [](const EncoderChoice& one) { return one.traits.reads_text; };
  const auto no_pixels = [](const EncoderChoice& one) {
    return one.traits.reads_text || one.traits.reads_features;
  };
  const std::vector<std::string> texts = encoder_registry().names(reads_text);
  const std::vector<std::string> blind = encoder_registry().names(no_pixels);
  const std::vector<std::string> no_layers = {
      "cnn", "vit", "hybrid", "bigru", "text_transformer", "features"};
  v.choice("type", type, encoder_registry(), "the encoder of images, or of texts")
      .is(Trait::kInputs);
  v.field("channels", channels, "width of each stage; the first three halve the image",
          {.min = 1, .max = 4096, .not_empty = true})
      .only_with("encoder.type", "cnn", "hybrid")
      .is(Trait::kInputs, frozen);
  v.field("image_size", image_size, "height of the network's input in pixels", between(8, 2048))
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.field("image_width", image_width, "width of the network's input in pixels; 0 = image_size",
          between(0, 2048))
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.field("resize", resize, "how an image is fitted into the network's input")
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.field(
       "resize_side", resize_side,
       "side in pixels to which a picture is resized before its centre is cut; 0 = the network's",
       between(0, 4096))
      .only_with("encoder.resize", ResizeMode::kCenter, ResizeMode::kCenterEven,
                 ResizeMode::kSquashCenter)
      .is(Trait::kInputs);
  v.field("interpolation", interpolation,
          "how the pixels of an image become those of the network's input; pretrained weights want "
          "the one that they were trained with")
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.field("lr", lr, "learning rate of the encoder; null = that of the optimizer", at_least(0))
      .unless("encoder.type", "features")
      .unless("encoder.frozen_stages", "-1")
      .is(Trait::kInputs, frozen);
  v.field("frozen_stages", frozen_stages,
          "number of stages, from the pixels on, that training does not change; -1 = the whole "
          "network, whose grids are then computed once",
          between(-1, 1000))
      .unless("encoder.type", "features", "bigru", "text_transformer")
      .is(Trait::kInputs, frozen);
  v.field("model", model, "path of the .onnx file")
      .only_with("encoder.type", "onnx_native")
      .is(Trait::kInputs)
      .is(Trait::kFile)
      .is(Trait::kNeeded)
      .is(Trait::kMayChange);  // the network in the file is compared
  v.field("layer", layer,
          "the layer (onnx_native) or stage (resnet*, vgg*, mobilenet_v2, hub) whose output is "
          "the grid; of a vision transformer of hub a block, such as block11, before the last "
          "normalisation; empty = the last stage, normalised as it was published")
      .unless("encoder.type", no_layers)
      .is(Trait::kInputs);
  v.field("layers", layers,
          "several layers or stages instead of `layer`, whose grids are joined: each is brought "
          "to the extents of the finest by bilinear interpolation, and a region has the channels "
          "of all")
      .unless("encoder.type", no_layers)
      .is(Trait::kInputs);
  v.field("normalize", normalize,
          "how a region's vector of each layer is normalised; null = layer_norm for several "
          "layers, none for one")
      .unless("encoder.type", no_layers)
      .is(Trait::kInputs);
  v.field("dilate", dilate,
          "the last strided convolutions before the layers get stride 1, and those behind them "
          "are dilated instead: the same weights see the same places on a grid twice as fine")
      .unless("encoder.type", no_layers)
      .is(Trait::kInputs);
  v.field("keys", keys,
          "those of `layers` that attention scores; encoder.refine does not change them; empty = "
          "all")
      .unless("encoder.layers", "[]");
  v.field("values", values,
          "those of `layers` that contexts and the first state are computed from; empty = all")
      .unless("encoder.layers", "[]");
  v.field("project", project,
          "width of a learned linear map of the regions, which is applied once per image, before "
          "refinement and attention; where encoder.keys or values are given, attention scores "
          "regions without this map; 0 = no map",
          between(0, 65536));
  v.field("weights", weights,
          "file of pretrained weights, or the folder that has it, by torchvision's names, for vit "
          "by timm's, for hub by those of any hub; empty = random weights, for onnx_native those "
          "of its file")
      .unless("encoder.type", "cnn", "hybrid", "features", "bigru", "text_transformer")
      .is(Trait::kInputs, frozen)
      .is(Trait::kFile)
      .is(Trait::kNeeded, when("encoder.frozen_stages", "-1"),
          unless("encoder.type", "onnx_native"))
      .is(Trait::kMayChange, frozen);  // the weights of a frozen network are compared
  v.field("weights_strict", weights_strict,
          "false: parameters that the file lacks keep random numbers, and arrays beside the "
          "network are left out; both are reported; shapes must fit in any case, and arrays "
          "within the network are never left out")
      .unless("encoder.weights", "\"\"")
      .is(Trait::kInputs, frozen)
      .is(Trait::kMayChange, frozen);
  v.field("heads", heads,
          "heads of each block of a published vision transformer, where no config.json beside its "
          "weights says it; 0 = as that says",
          between(0, 256))
      .only_with("encoder.type", "hub")
      .is(Trait::kInputs, frozen);
  v.field("activation", activation,
          "activation of a published vision transformer, where no config.json beside its weights "
          "says it; null = as that says")
      .only_with("encoder.type", "hub")
      .is(Trait::kInputs, frozen);
  v.field("cache", cache, "folder for cached features; empty = no cache")
      .only_with("encoder.type", "features")
      .or_with("encoder.frozen_stages", "-1")
      .is(Trait::kInputs)
      .is(Trait::kMayChange)
      .is(Trait::kNoResult);
  v.field("half", half,
          "keep features in 16-bit floats: half the space, about 3 significant digits")
      .only_with("encoder.type", "features")
      .or_with("encoder.frozen_stages", "-1")
      .is(Trait::kInputs);
  v.field("positions", positions, "information about where a region is")
      // A vision transformer adds them to its own tokens.
      .is(Trait::kInputs, frozen, when("encoder.type", "vit", "hybrid", "features"));
  v.field("pooled", pooled,
          "what stands for the image as a whole (read by decoder.first_state and decoder.image)")
      .is(Trait::kInputs);
  v.field("placeless", placeless,
          "words also attend to the tokens of a vision transformer that have no place in the "
          "picture (class token, registers); maps tell their weight as `elsewhere`")
      .only_with("encoder.type", "vit", "hybrid", "hub");
  v.field("pixels", pixels, "how a pixel from 0 to 255 is normalised for the network")
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.field("input_mean", input_mean, "(pixel - input_mean) / input_scale")
      .only_with("encoder.pixels", PixelScale::kPlain)
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.field("input_scale", input_scale, "see input_mean", above(0))
      .only_with("encoder.pixels", PixelScale::kPlain)
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.section("vit", vit, "the vision transformer")
      .only_with("encoder.type", "vit", "hybrid")
      .is(Trait::kInputs, frozen);
  v.section("text", text, "the encoder of texts").only_with("encoder.type", texts);
  v.section("features", features, "features that another program computed")
      .only_with("encoder.type", "features")
      .is(Trait::kInputs);
  v.section("augment", augment,
            "random changes of training images; with a frozen encoder see views")
      .unless("encoder.type", blind)
      .is(Trait::kInputs);
  v.section("refine", refine, "attention among the regions of the grid")
      .unless("encoder.refine.layers", "0");
  v.field("feature_dropout", feature_dropout,
          "share of the numbers in the grid that the decoder gets as zeros in training",
          between_open_end(0, 1));
  v.field("region_dropout", region_dropout,
          "share of the regions that the decoder gets as zeros in training",
          between_open_end(0, 1));
}

}  // namespace saccade
