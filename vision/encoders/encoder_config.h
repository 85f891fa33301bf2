// The section `encoder`: from an image, or a text, to a grid of features.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/sequence/block_attention.h"
#include "core/attention/sequence/norm_placement.h"
#include "core/attention/sequence/refinement_config.h"
#include "core/base/enum_names.h"
#include "core/nn/position_kind.h"
#include "vision/encoders/features_config.h"
#include "vision/images/resize_mode.h"

namespace saccade {

class Section;
struct StoredNetwork;  // stored_network.h

enum class PooledKind { kMean, kClassToken, kLastState };
constexpr auto enum_table(PooledKind) {
  using enum PooledKind;
  return enum_rows<PooledKind>({
      {kMean, "mean", "the mean of the unmasked regions"},
      {kClassToken, "class_token",
       "the class token behind the last block (vit, hybrid), or that of the files (features)"},
      {kLastState, "last_state",
       "the state of each direction where it has read the whole text (bigru): the fixed vector of "
       "Cho et al. 2014"},
  });
}

enum class PixelScale { kPlain, kImagenet, kClip };
constexpr auto enum_table(PixelScale) {
  using enum PixelScale;
  return enum_rows<PixelScale>({
      {kPlain, "plain", "(pixel - input_mean) / input_scale"},
      {kImagenet, "imagenet",
       "as torchvision's weights require: every channel with mean 0 and standard deviation 1 over "
       "ImageNet"},
      {kClip, "clip", "as CLIP's weights require, with the colours of its photos"},
  });
}

// The activation of a published vision transformer where no file says it.
enum class HubActivation { kGelu, kQuickGelu, kTanhGelu };
constexpr auto enum_table(HubActivation) {
  using enum HubActivation;
  return enum_rows<HubActivation>({
      {kGelu, "gelu", "x Phi(x), exact"},
      {kQuickGelu, "quick_gelu", "x / (1 + exp(-1.702 x)), of OpenAI's CLIP"},
      {kTanhGelu, "gelu_tanh", "gelu by a hyperbolic tangent, of SigLIP"},
  });
}

// How each region's vector of each layer is normalised before layers are joined.
enum class FeatureNorm { kNone, kLayerNorm };
constexpr auto enum_table(FeatureNorm) {
  using enum FeatureNorm;
  return enum_rows<FeatureNorm>({
      {kNone, "none", "not normalised"},
      {kLayerNorm, "layer_norm",
       "mean 0 and standard deviation 1 over its channels, without parameters"},
  });
}

// The widths of Touvron et al. 2021 (tiny, small) and Dosovitskiy et al. 2021 (base).
enum class VitSize { kTiny, kSmall, kBase };
constexpr auto enum_table(VitSize) {
  using enum VitSize;
  return enum_rows<VitSize>({
      {kTiny, "tiny", "width 192, 12 layers, 3 heads"},
      {kSmall, "small", "width 384, 12 layers, 6 heads"},
      {kBase, "base", "width 768, 12 layers, 12 heads"},
  });
}

// How self-attention is initialised.
enum class VitStart { kGlorot, kMimetic };
constexpr auto enum_table(VitStart) {
  using enum VitStart;
  return enum_rows<VitStart>({
      {kGlorot, "glorot", "all weights are drawn independently"},
      {kMimetic, "mimetic",
       "keys start with the weights of the queries, so that tokens first attend to similar tokens, "
       "above all their neighbours (after Trockman & Kolter 2023)"},
  });
}

// The section `encoder.vit`: a vision transformer (encoder.type vit, hybrid).
struct VitConfig {
  VitSize size = VitSize::kTiny;
  std::optional<std::int64_t> width, layers, heads;
  std::int64_t patch = 16;
  std::int64_t overlap = 0;
  BlockAttention attention = {.path = "encoder.vit.attention"};
  NormPlacement norm = NormPlacement::kPre;
  std::int64_t multiple = 4;
  bool class_token = true;
  std::int64_t registers = 0;
  double dropout = 0;
  VitStart start = VitStart::kGlorot;

  void fields(Section& v);
};

// The widths of the config, with those of its size where they are null.
struct VitWidths {
  std::int64_t width, layers, heads;
};
constexpr VitWidths resolved(const VitConfig& config) {
  VitWidths sized{.width = 192, .layers = 12, .heads = 3};
  if (config.size == VitSize::kSmall) sized = {.width = 384, .layers = 12, .heads = 6};
  if (config.size == VitSize::kBase) sized = {.width = 768, .layers = 12, .heads = 12};
  return {.width = config.width.value_or(sized.width),
          .layers = config.layers.value_or(sized.layers),
          .heads = config.heads.value_or(sized.heads)};
}

// The section `encoder.text`: an encoder of texts (encoder.type bigru, text_transformer).
struct TextConfig {
  std::int64_t length = 16;
  std::int64_t width = 128;
  std::int64_t layers = 1;
  std::int64_t heads = 4;
  std::int64_t multiple = 4;
  double dropout = 0;

  void fields(Section& v);
};

struct AugmentConfig {
  bool flip = false;
  std::int64_t shift = 0;
  double scale = 1;
  double color = 0;
  std::int64_t views = 0;

  void fields(Section& v);
};

struct EncoderConfig {
  std::string type = "cnn";
  std::vector<std::int64_t> channels = {32, 64, 96, 128};
  std::int64_t image_size = 64;
  std::int64_t image_width = 0;
  ResizeMode resize = ResizeMode::kSquash;
  std::int64_t resize_side = 0;
  Interpolation interpolation = Interpolation::kArea;
  std::string model, layer, cache, weights;
  std::vector<std::string> layers, keys, values;
  std::optional<FeatureNorm> normalize;
  bool dilate = false;
  std::int64_t project = 0;
  bool weights_strict = true;
  std::int64_t heads = 0;
  std::optional<HubActivation> activation;
  bool half = false;
  std::optional<double> lr;
  std::int64_t frozen_stages = 0;
  PositionKind positions = PositionKind::kNone;
  PooledKind pooled = PooledKind::kMean;
  bool placeless = false;
  PixelScale pixels = PixelScale::kPlain;
  double input_mean = 127.5;
  double input_scale = 127.5;
  VitConfig vit;
  TextConfig text;
  FeaturesConfig features;
  AugmentConfig augment;
  RefinementConfig refine;
  double feature_dropout = 0;
  double region_dropout = 0;
  // The graph of onnx_native as its checkpoint holds it, which replaces the file `model`, the
  // network of hub (hub_plan_text), or the form of features (FeatureForm). It is not an option.
  std::string graph;
  // A frozen network as a checkpoint for captioning alone holds it, which replaces the files
  // `model` and `weights`. It is not an option either.
  std::shared_ptr<const StoredNetwork> network;
  // The tokens that an encoder of texts knows, in the order of their numbers, as the data or the
  // checkpoint has them. They are no option either.
  std::vector<std::string> words;

  // The layers that make up the grid, in order: `layers`, or `layer` alone.
  std::vector<std::string> grid_layers() const {
    return layers.empty() ? std::vector<std::string>{layer} : layers;
  }
  // The channels of different layers have different scales, so layers that are joined are
  // normalised.
  FeatureNorm norm() const {
    return normalize.value_or(layers.size() > 1 ? FeatureNorm::kLayerNorm : FeatureNorm::kNone);
  }
  // The extents of the network's input, in pixels.
  std::int64_t height() const { return image_size; }
  std::int64_t width() const { return image_width == 0 ? image_size : image_width; }

  void fields(Section& v);
};

}  // namespace saccade
