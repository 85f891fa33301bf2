// The native convolutional backbones as encoders; each is one row of encoder_traits.cpp.
#include "vision/encoders/backbones/mobilenet.h"
#include "vision/encoders/backbones/onnx_network.h"
#include "vision/encoders/backbones/resnet.h"
#include "vision/encoders/backbones/vgg.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/frozen_network.h"
#include "vision/encoders/grid_fusion.h"
#include "vision/encoders/onnx_encoder.h"
#include "vision/encoders/onnx_layers.h"

namespace saccade {

namespace {

class BackboneEncoder : public Encoder {
 public:
  // make(scope, input) returns the backbone; its parameters lie below `backbone`.
  template <class Make>
  BackboneEncoder(const EncoderConfig& config, const ParamScope& scope, Make make)
      : backbone_(make(scope.sub("backbone"),
                       ImageSize{.height = config.height(), .width = config.width()})),
        fusion_(grids_of(*backbone_), config.grid_layers(), config.norm()),
        positions_(scope.sub("positions"), config.positions, fusion_.grid()) {}

  Var forward(Tape& tape, Var pixels) const override { return forward_padded(tape, pixels, {}); }
  Var forward_padded(Tape& tape, Var pixels, std::span<const PictureArea> areas) const override {
    return positions_(tape, fusion_(tape, backbone_->outputs(tape, pixels), areas));
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
  std::string graph() const override { return backbone_->graph(); }

 private:
  static std::vector<GridShape> grids_of(const Backbone& backbone) {
    std::vector<GridShape> grids;
    for (const BackboneResult& result : backbone.results()) grids.push_back(result.grid);
    return grids;
  }

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
std::unique_ptr<Encoder> make_onnx_native_encoder(const EncoderConfig& config,
                                                  const ParamScope& scope) {
  const BackboneEnds ends = ends_of(config);
  if (!config.graph.empty())
    return make<OnnxNetwork>(config, scope, OnnxModel{graph_of_text(config.graph), {}});
  require_layer(config);
  require_network_file(config);
  try {
    return make<OnnxNetwork>(config, scope, read_onnx(config.model, ends.stages, ends.last_stage));
  } catch (const DataError& error) {
    throw DataError(error.what() + other_onnx_encoder(config));
  }
}

}  // namespace saccade
