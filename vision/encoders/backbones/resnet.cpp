#include "vision/encoders/backbones/resnet.h"

#include <array>

#include "core/autograd/keep_value.h"
#include "core/ops/conv_ops.h"

namespace saccade {

namespace {

struct Plan {
  const char* name;
  std::array<int, 4> blocks;  // of layer1 .. layer4
  bool bottleneck;            // convolutions of 1 x 1, 3 x 3 and 1 x 1 instead of two of 3 x 3
};

Plan plan_of(ResnetDepth depth) {
  switch (depth) {
    case ResnetDepth::k18:
      return {"resnet18", {2, 2, 2, 2}, false};
    case ResnetDepth::k34:
      return {"resnet34", {3, 4, 6, 3}, false};
    case ResnetDepth::k50:
      return {"resnet50", {3, 4, 6, 3}, true};
    case ResnetDepth::k101:
      break;
  }
  return {"resnet101", {3, 4, 23, 3}, true};
}

constexpr Index kStemWidth = 64;
constexpr Index kExpansion = 4;  // of the last convolution of a bottleneck

std::vector<BackboneStage> resnet_stages() {
  std::vector<BackboneStage> stages{{.name = "stem", .prefixes = {"conv1.", "bn1."}, .grid = {}}};
  for (int k = 1; k <= 4; ++k)
    stages.push_back({.name = str("layer", k), .prefixes = {str("layer", k, ".")}, .grid = {}});
  return stages;
}

}  // namespace

Resnet::Resnet(const ResnetOptions& options, const ImageSize& input, const ParamScope& scope)
    : Backbone(plan_of(options.depth).name, input),
      stem_({scope.sub("conv1"), scope.sub("bn1")}, {.in = 3,
                                                     .out = kStemWidth,
                                                     .kernel = 7,
                                                     .stride = 2,
                                                     .padding = 3,
                                                     .activation = Activation::kRelu}) {
  const std::size_t count = plan(resnet_stages(), options.ends, {"fc."});
  const bool dilated = options.ends.last_stage == LastStage::kDilated;
  if (dilated && count < 3)
    throw UsageError(
        str("encoder.dilate: the last stride before ", stages().back().name, " of ",
            plan_of(options.depth).name,
            " is the stem's, which pools; choose layer2, layer3 or layer4, or set it to false"));
  const Window stem{7, 2, 3}, pool{3, 2, 1};
  GridShape image = after({{input.height, input.width}, kStemWidth}, stem);
  see(stem);
  set_grid(0, image);
  if (count > 1) {
    image = after(image, pool);
    see(pool);
  }
  for (std::size_t layer = 1; layer < count; ++layer) {
    const bool last = layer + 1 == count;
    image = add_layer(scope.sub(str("layer", layer)),
                      {.depth = options.depth,
                       .number = layer,
                       .strides = dilated && last ? LastStage::kDilated : LastStage::kStrided},
                      image);
    set_grid(layer, image);
  }
}

GridShape Resnet::add_layer(const ParamScope& scope, const LayerPlan& layer, GridShape image) {
  const Plan plan = plan_of(layer.depth);
  const Index width = kStemWidth << (layer.number - 1);
  const Index out = plan.bottleneck ? kExpansion * width : width;
  Index dilation = 1;
  layers_.emplace_back();
  for (int b = 0; b < plan.blocks[layer.number - 1]; ++b) {
    const bool halves = b == 0 && layer.number > 1;
    const Index stride = halves && layer.strides == LastStage::kStrided ? 2 : 1;
    const ParamScope block_scope = scope.sub(std::to_string(b));
    Block block;
    const auto add = [&](Index in, Index to, Index kernel, Index step, bool last) {
      const std::string number = std::to_string(block.convs.size() + 1);
      const Index padding = kernel / 2 * dilation;
      see({kernel, step, padding, dilation});
      // The last gain starts at 0, so each block starts as the identity (Goyal et al. 2017):
      // without statistics of the batch, sums would otherwise grow from block to block.
      block.convs.emplace_back(
          ConvNorm::Scopes{block_scope.sub("conv" + number), block_scope.sub("bn" + number)},
          Conv2dLayout{.in = in,
                       .out = to,
                       .kernel = kernel,
                       .stride = step,
                       .padding = padding,
                       .activation = Activation::kRelu,
                       .dilation = dilation},
          BatchNormStart{.gain = last ? 0.0 : 1.0});
    };
    if (plan.bottleneck) {
      add(image.features, width, 1, 1, false);
      add(width, width, 3, stride, false);
      if (halves && stride == 1) dilation = 2;
      add(width, out, 1, 1, true);
    } else {
      add(image.features, width, 3, stride, false);
      if (halves && stride == 1) dilation = 2;
      add(width, out, 3, 1, true);
    }
    if (stride != 1 || image.features != out)
      block.shortcut.emplace_back(
          ConvNorm::Scopes{block_scope.sub("downsample.0"), block_scope.sub("downsample.1")},
          Conv2dLayout{
              .in = image.features, .out = out, .kernel = 1, .stride = stride, .padding = 0});
    layers_.back().push_back(std::move(block));
    image = after(image, {3, stride, 1});
    image.features = out;
  }
  return image;
}

std::vector<Var> Resnet::run(Tape& tape, Var pixels) const {
  const auto pool = [](Var x) {
    return ops::max_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1});
  };
  std::vector<Var> results(1);
  Var x;
  if (wanted(0)) {
    x = results[0] = keep_value(tape, [&] { return stem_(tape, pixels); });
    if (layers_.empty()) return results;
    x = keep_value(tape, [&] { return pool(x); });
  } else {
    x = keep_value(tape, [&] { return pool(stem_(tape, pixels)); });
  }
  for (const std::vector<Block>& layer : layers_) {
    for (const Block& block : layer)
      x = keep_value(tape, [&] {
        const Var skip = block.shortcut.empty() ? x : block.shortcut[0](tape, x);
        Var inner = x;
        for (std::size_t i = 0; i + 1 < block.convs.size(); ++i)
          inner = block.convs[i](tape, inner);
        return block.convs.back()(tape, inner, skip);
      });
    results.push_back(x);
  }
  return results;
}

}  // namespace saccade
