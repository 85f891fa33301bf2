#include "vision/encoders/backbones/resnet.h"

#include "core/autograd/keep_value.h"
#include "core/ops/conv_ops.h"
#include "core/ops/shape_ops.h"
#include "vision/encoders/each_image.h"

namespace saccade {

namespace {

ResnetPlan plan_of(const char* name, std::vector<Index> depths, bool bottleneck) {
  constexpr Index kExpansion = 4;  // of the last convolution of a bottleneck
  ResnetPlan plan;
  plan.name = name;
  plan.depths = std::move(depths);
  plan.bottleneck = bottleneck;
  if (bottleneck)
    for (Index& width : plan.widths) width *= kExpansion;
  return plan;
}

std::vector<BackboneStage> resnet_stages(std::size_t convolutions) {
  std::vector<BackboneStage> stages{{.name = "stem", .prefixes = {}, .grid = {}}};
  for (std::size_t k = 1; k <= convolutions; ++k)
    for (const char* part : {"conv", "bn"}) stages[0].prefixes.push_back(str(part, k, "."));
  for (int k = 1; k <= 4; ++k)
    stages.push_back({.name = str("layer", k), .prefixes = {str("layer", k, ".")}, .grid = {}});
  return stages;
}

// The mean of 2 x 2 pixels.
Var halved(Var x) { return ops::avg_pool2d(x, {.kernel = 2, .stride = 2}); }

}  // namespace

ResnetPlan resnet_plan(ResnetDepth depth) {
  switch (depth) {
    case ResnetDepth::k18:
      return plan_of("resnet18", {2, 2, 2, 2}, false);
    case ResnetDepth::k34:
      return plan_of("resnet34", {3, 4, 6, 3}, false);
    case ResnetDepth::k50:
      return plan_of("resnet50", {3, 4, 6, 3}, true);
    case ResnetDepth::k101:
      break;
  }
  return plan_of("resnet101", {3, 4, 23, 3}, true);
}

Resnet::Resnet(const ResnetOptions& options, const ImageSize& input, const ParamScope& scope)
    : Resnet(resnet_plan(options.depth), options.ends, input, scope) {}

Resnet::Resnet(const ResnetPlan& plan, const BackboneEnds& ends, const ImageSize& input,
               const ParamScope& scope)
    : Backbone(plan.name, input), mean_pool_(plan.mean_strides) {
  const std::size_t count = this->plan(resnet_stages(plan.stem.size()), ends, {"fc."});
  const bool dilated = ends.last_stage == LastStage::kDilated;
  if (dilated && count < 3)
    throw UsageError(
        str("encoder.dilate: the last stride before ", stages().back().name, " of ", plan.name,
            " is the stem's, which pools; choose layer2, layer3 or layer4, or set it to false"));
  if (dilated && plan.mean_strides)
    throw UsageError(
        str("encoder.dilate: ", plan.name,
            " has means instead of strides, which cannot be dilated; set it to false"));
  const Window pool = plan.mean_strides ? Window{2, 2, 0} : Window{3, 2, 1};
  GridShape image{{input.height, input.width}, 3};
  for (std::size_t k = 0; k < plan.stem.size(); ++k) {
    const Index kernel = plan.stem.size() == 1 ? 7 : 3;
    const Window window{kernel, k == 0 ? 2 : 1, kernel / 2};
    const std::string number = std::to_string(k + 1);
    stem_.emplace_back(ConvNorm::Scopes{scope.sub("conv" + number), scope.sub("bn" + number)},
                       Conv2dLayout{.in = image.features,
                                    .out = plan.stem[k],
                                    .kernel = kernel,
                                    .stride = window.stride,
                                    .padding = window.padding,
                                    .activation = Activation::kRelu},
                       BatchNormStart{.epsilon = plan.epsilon});
    image = after(image, window);
    see(window);
    image.features = plan.stem[k];
  }
  set_grid(0, image);
  if (count > 1) {
    image = after(image, pool);
    see(pool);
  }
  for (std::size_t layer = 1; layer < count; ++layer) {
    const bool last = layer + 1 == count;
    image = add_layer(scope.sub(str("layer", layer)),
                      {.plan = plan,
                       .number = layer,
                       .strides = dilated && last ? LastStage::kDilated : LastStage::kStrided},
                      image);
    set_grid(layer, image);
  }
}

GridShape Resnet::add_layer(const ParamScope& scope, const LayerPlan& layer, GridShape image) {
  const ResnetPlan& plan = layer.plan;
  const std::size_t own = layer.number - 1;
  const Index width = plan.inner[own], out = plan.widths[own];
  Index dilation = 1;
  layers_.emplace_back();
  for (Index b = 0; b < plan.depths[own]; ++b) {
    const bool halves = b == 0 && layer.number > 1;
    const Index stride = halves && layer.strides == LastStage::kStrided ? 2 : 1;
    if (stride == 2 && plan.mean_shortcut && (image.rows % 2 != 0 || image.cols % 2 != 0))
      throw UsageError(str("encoder: ", plan.name, " takes means of 2 x 2 cells, and layer",
                           layer.number, " would begin on ", image.rows, " x ", image.cols,
                           "; choose an encoder.image_size that is a multiple of 32"));
    const ParamScope block_scope = scope.sub(std::to_string(b));
    Block block;
    block.mean_before_last = plan.mean_strides && stride == 2;
    block.mean_before_shortcut = (plan.mean_strides || plan.mean_shortcut) && stride == 2;
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
                       .groups = kernel == 3 ? plan.groups : 1,
                       .activation = Activation::kRelu,
                       .dilation = dilation},
          BatchNormStart{.gain = last ? 0.0 : 1.0, .epsilon = plan.epsilon});
    };
    if (plan.bottleneck) {
      const Index strided = plan.mean_strides ? 1 : stride;
      add(image.features, width, 1, plan.stride_first ? strided : 1, false);
      add(width, width, 3, plan.stride_first ? 1 : strided, false);
      if (block.mean_before_last) see({2, 2, 0});
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
          Conv2dLayout{.in = image.features,
                       .out = out,
                       .kernel = 1,
                       .stride = block.mean_before_shortcut ? 1 : stride,
                       .padding = 0},
          BatchNormStart{.epsilon = plan.epsilon});
    image = block.mean_before_last ? after(image, {2, 2, 0}) : after(image, {3, stride, 1});
    layers_.back().push_back(std::move(block));
    image.features = out;
  }
  return image;
}

Var Resnet::run_layer(Tape& tape, Var x, std::span<const Block> blocks) {
  if (blocks.front().mean_before_shortcut) {
    const Block& block = blocks.front();
    const Var skip = block.shortcut[0](tape, halved(x));
    for (std::size_t i = 0; i + 1 < block.convs.size(); ++i) x = block.convs[i](tape, x);
    x = block.convs.back()(tape, block.mean_before_last ? halved(x) : x, skip);
    blocks = blocks.subspan(1);
  }
  std::vector<ops::ResidualBlock> all;
  for (const Block& block : blocks) {
    all.emplace_back();
    for (const ConvNorm& conv : block.convs) all.back().convs.push_back(conv.on(tape));
    if (!block.shortcut.empty()) all.back().shortcut = block.shortcut[0].on(tape);
  }
  return ops::residual_blocks(x, all);
}

std::vector<Var> Resnet::run(Tape& tape, Var pixels) const {
  const auto stem = [&](Var x) {
    for (const ConvNorm& conv : stem_) x = conv(tape, x);
    return x;
  };
  const auto pool = [this](Var x) {
    if (mean_pool_) return halved(x);
    return ops::max_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1});
  };
  std::vector<Var> results(1);
  Var x;
  if (wanted(0)) {
    x = results[0] = keep_value(tape, [&] { return stem(pixels); });
    if (layers_.empty()) return results;
    x = keep_value(tape, [&] { return pool(x); });
  } else {
    x = keep_value(tape, [&] {
      return each_image(pixels, [&](Var image, Index) { return pool(stem(image)); });
    });
  }
  for (const std::vector<Block>& layer : layers_) {
    x = layer.front().mean_before_shortcut
            ? keep_value(tape, [&] { return run_layer(tape, x, layer); })
            : run_layer(tape, x, layer);
    results.push_back(x);
  }
  return results;
}

}  // namespace saccade
