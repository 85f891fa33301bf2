// The native convolutional backbones as encoders; each is one row of encoder_traits.cpp.
#include <algorithm>

#include "vision/encoders/backbones/hub_network.h"
#include "vision/encoders/backbones/mobilenet.h"
#include "vision/encoders/backbones/onnx_backbone.h"
#include "vision/encoders/backbones/resnet.h"
#include "vision/encoders/backbones/vgg.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/grid_fusion.h"

namespace saccade {

namespace {

class BackboneEncoder : public Encoder {
 public:
  // make(scope, input) returns the backbone; its parameters lie below `backbone`.
  // graph: what graph() returns where the backbone has no definition of its own.
  template <class Make>
  BackboneEncoder(const EncoderConfig& config, const ParamScope& scope, Make make,
                  std::string graph = "")
      : graph_(std::move(graph)),
        backbone_(make(scope.sub("backbone"),
                       ImageSize{.height = config.height(), .width = config.width()})),
        fusion_(grids_of(*backbone_), config.grid_layers(), config.norm()),
        positions_(scope.sub("positions"), config.positions, fusion_.grid()) {}

  Var forward(Tape& tape, Var pixels) const override { return forward_padded(tape, pixels, {}); }
  Var forward_padded(Tape& tape, Var pixels, std::span<const PictureArea> areas) const override {
    Var last;
    return forward_with_last(tape, pixels, areas, last);
  }
  Var forward_with_last(Tape& tape, Var pixels, std::span<const PictureArea> areas,
                        Var& last) const override {
    const std::vector<Var> layers = backbone_->outputs(tape, pixels);
    last = layers.back();
    return positions_(tape, fusion_(tape, layers, areas));
  }
  GridShape grid() const override {
    GridShape grid = fusion_.grid();
    grid.features = positions_.features();
    return grid;
  }
  ReceptiveField receptive_field() const override {
    return backbone_->receptive_field(fusion_.finest());
  }
  Shape input_shape() const override {
    return {backbone_->input().height, backbone_->input().width, 3};
  }
  std::vector<EncoderStage> stages() const override {
    std::vector<EncoderStage> out;
    for (const BackboneStage& stage : backbone_->stages()) {
      EncoderStage& own = out.emplace_back(EncoderStage{.name = stage.name, .prefixes = {}});
      for (const std::string& prefix : stage.prefixes)  // every prefix ends in a dot
        own.prefixes.push_back("backbone." + prefix.substr(0, prefix.size() - 1));
    }
    return out;
  }
  TorchWeights pretrained() const override {
    TorchWeights weights;
    weights.scope = "backbone";
    weights.ignored.assign(backbone_->unused().begin(), backbone_->unused().end());
    return weights;
  }
  void start(ParameterStore& store) const override { backbone_->start(store); }
  std::string graph() const override { return graph_.empty() ? backbone_->graph() : graph_; }

 private:
  static std::vector<GridShape> grids_of(const Backbone& backbone) {
    std::vector<GridShape> grids;
    for (const BackboneResult& result : backbone.results()) grids.push_back(result.grid);
    return grids;
  }

  std::string graph_;
  std::unique_ptr<Backbone> backbone_;
  GridFusion fusion_;
  GridPositions positions_;
};

BackboneEnds ends_of(const EncoderConfig& config) {
  check_layers(config);
  return {.stages = config.grid_layers(),
          .last_stage = config.dilate ? LastStage::kDilated : LastStage::kStrided};
}

template <class Network, class Options>
std::unique_ptr<Encoder> make(const EncoderConfig& config, const ParamScope& scope,
                              const Options& options) {
  return std::make_unique<BackboneEncoder>(config, scope,
                                           [&](const ParamScope& own, const ImageSize& input) {
                                             return std::make_unique<Network>(options, input, own);
                                           });
}

std::unique_ptr<Encoder> of_hub(const EncoderConfig& config, VitParts parts,
                                const ParamScope& scope) {
  if (!config.layers.empty() || config.normalize)
    throw UsageError(
        "encoder.layers and encoder.normalize are for convolutional networks; of a vision "
        "transformer take one block, with encoder.layer");
  if (config.dilate)
    throw UsageError("encoder.dilate: a vision transformer has no strides; set it to false");
  const std::string text = hub_plan_text(parts);
  if (!config.layer.empty()) {
    const Index published = parts.layers;
    std::vector<std::string> blocks;
    for (Index b = 1; b <= published; ++b) blocks.push_back(str("block", b));
    const auto found = std::find(blocks.begin(), blocks.end(), config.layer);
    if (found == blocks.end())
      throw UsageError(str("encoder.layer: the network of encoder.weights has no '", config.layer,
                           "'; its layers are block1 to block", published));
    parts.layers = found - blocks.begin() + 1;
    parts.left_out = published - parts.layers;
    parts.last_norm = false;
  }
  return std::make_unique<VitEncoder>(config, parts, scope, text);
}

template <class Network, class Plan>
std::unique_ptr<Encoder> backbone_of_hub(const EncoderConfig& config, const Plan& plan,
                                         const ParamScope& scope) {
  return std::make_unique<BackboneEncoder>(
      config, scope,
      [&](const ParamScope& own, const ImageSize& input) {
        return std::make_unique<Network>(plan, ends_of(config), input, own);
      },
      hub_plan_text(plan));
}
std::unique_ptr<Encoder> of_hub(const EncoderConfig& config, const ResnetPlan& plan,
                                const ParamScope& scope) {
  return backbone_of_hub<Resnet>(config, plan, scope);
}
std::unique_ptr<Encoder> of_hub(const EncoderConfig& config, const ConvnextPlan& plan,
                                const ParamScope& scope) {
  return backbone_of_hub<Convnext>(config, plan, scope);
}
std::unique_ptr<Encoder> of_hub(const EncoderConfig& config, const InvertedPlan& plan,
                                const ParamScope& scope) {
  return backbone_of_hub<Inverted>(config, plan, scope);
}
std::unique_ptr<Encoder> of_hub(const EncoderConfig& config, const SwinPlan& plan,
                                const ParamScope& scope) {
  return backbone_of_hub<Swin>(config, plan, scope);
}

// Throws UsageError where the config of onnx_native does not name its file and layers.
void require_layer(const EncoderConfig& config) {
  const std::vector<std::string> layers = config.grid_layers();
  const bool unnamed = std::ranges::find(layers, "") != layers.end();
  if (!config.model.empty() && !unnamed) return;
  throw UsageError(str("encoder.type ", config.type, " needs encoder.",
                       config.model.empty()    ? "model"
                       : config.layers.empty() ? "layer"
                                               : "layers that all have a name",
                       "; set it in the config"));
}

std::unique_ptr<Encoder> resnet(const EncoderConfig& config, const ParamScope& scope,
                                ResnetDepth depth) {
  return make<Resnet>(config, scope, ResnetOptions{.depth = depth, .ends = ends_of(config)});
}

}  // namespace

std::unique_ptr<Encoder> make_resnet18_encoder(const EncoderConfig& config,
                                               const ParamScope& scope) {
  return resnet(config, scope, ResnetDepth::k18);
}
std::unique_ptr<Encoder> make_resnet34_encoder(const EncoderConfig& config,
                                               const ParamScope& scope) {
  return resnet(config, scope, ResnetDepth::k34);
}
std::unique_ptr<Encoder> make_resnet50_encoder(const EncoderConfig& config,
                                               const ParamScope& scope) {
  return resnet(config, scope, ResnetDepth::k50);
}
std::unique_ptr<Encoder> make_resnet101_encoder(const EncoderConfig& config,
                                                const ParamScope& scope) {
  return resnet(config, scope, ResnetDepth::k101);
}
std::unique_ptr<Encoder> make_vgg16_encoder(const EncoderConfig& config, const ParamScope& scope) {
  return make<Vgg>(config, scope, VggOptions{.depth = VggDepth::k16, .ends = ends_of(config)});
}
std::unique_ptr<Encoder> make_vgg19_encoder(const EncoderConfig& config, const ParamScope& scope) {
  return make<Vgg>(config, scope, VggOptions{.depth = VggDepth::k19, .ends = ends_of(config)});
}
std::unique_ptr<Encoder> make_mobilenet_v2_encoder(const EncoderConfig& config,
                                                   const ParamScope& scope) {
  return make<MobileNetV2>(config, scope, MobileNetV2Options{.width = 1, .ends = ends_of(config)});
}
std::unique_ptr<Encoder> make_hub_encoder(const EncoderConfig& config, const ParamScope& scope) {
  return std::visit([&](const auto& plan) { return of_hub(config, plan, scope); },
                    hub_plan(config));
}
std::unique_ptr<Encoder> make_onnx_native_encoder(const EncoderConfig& config,
                                                  const ParamScope& scope) {
  const BackboneEnds ends = ends_of(config);
  const auto encoder = [&](const auto& make) {
    return std::make_unique<BackboneEncoder>(config, scope, make);
  };
  if (!config.graph.empty())
    return encoder([&](const ParamScope& own, const ImageSize& input) {
      return onnx_backbone_of_text(config.graph, input, own);
    });
  require_layer(config);
  require_network_file(config);
  return encoder([&](const ParamScope& own, const ImageSize& input) {
    return read_onnx_backbone(config.model, ends, input, own);
  });
}

}  // namespace saccade
