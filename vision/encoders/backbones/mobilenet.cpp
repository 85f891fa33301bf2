#include "vision/encoders/backbones/mobilenet.h"

#include <algorithm>
#include <cmath>

#include "core/autograd/keep_value.h"
#include "core/ops/pointwise.h"

namespace saccade {

namespace {

// A row of table 2 of the paper: `count` blocks, the first of which has the stride.
struct Row {
  Index expansion, channels;
  int count;
  Index stride;
};
constexpr Row kRows[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                         {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
// The entries of torchvision's list of features that belong to each stage: [first, end).
struct Entries {
  const char* stage;
  int first, end;
};
constexpr Entries kStages[] = {{"stage1", 0, 2},  {"stage2", 2, 4},   {"stage3", 4, 7},
                               {"stage4", 7, 14}, {"stage5", 14, 18}, {"head", 18, 19}};
constexpr std::size_t kStridedStages = 5;

// The multiple of 8 nearest to width x channels, but at least 8 and at least 90 % of the product.
Index scaled(Index channels, double width) {
  const double exact = static_cast<double>(channels) * width;
  const Index near = std::max(Index{8}, static_cast<Index>(exact + 4) / 8 * 8);
  return static_cast<double>(near) < 0.9 * exact ? near + 8 : near;
}

std::vector<BackboneStage> mobilenet_stages() {
  std::vector<BackboneStage> stages;
  for (const Entries& entries : kStages) {
    stages.push_back({.name = entries.stage, .prefixes = {}, .grid = {}});
    for (int i = entries.first; i < entries.end; ++i)
      stages.back().prefixes.push_back(str("features.", i, "."));
  }
  return stages;
}

ConvNorm plain_conv(const ParamScope& scope, Index in, Index out, Index kernel, Index stride) {
  return {{scope.sub("0"), scope.sub("1")},
          {.in = in,
           .out = out,
           .kernel = kernel,
           .stride = stride,
           .padding = kernel / 2,
           .activation = Activation::kRelu6}};
}

}  // namespace

MobileNetV2::MobileNetV2(const MobileNetV2Options& options, const ImageSize& input,
                         const ParamScope& scope)
    : Backbone("mobilenet_v2", input) {
  if (!(options.width > 0 && options.width <= 16))
    throw UsageError(
        str("encoder: the width of mobilenet_v2 must be above 0, at most 16; got ", options.width));
  const std::size_t count = plan(mobilenet_stages(), options.ends, {"classifier."});
  std::vector<BlockPlan> plans;  // from features.1 on
  for (const Row& row : kRows)
    for (int i = 0; i < row.count; ++i)
      plans.push_back(
          {row.expansion, scaled(row.channels, options.width), i == 0 ? row.stride : 1});

  // In every stage except the head, the first window has the stride.
  const std::size_t last_strided = std::min(count - 1, kStridedStages - 1);
  Index dilation = 1;
  GridShape image{{input.height, input.width}, 3};
  for (std::size_t stage = 0; stage < count; ++stage) {
    stages_.emplace_back();
    // The stride and dilation of the next window. Windows behind one that lost its stride are
    // dilated.
    const auto steps = [&](Index stride) {
      const Steps now{.stride = stride, .dilation = dilation};
      if (stride == 1 || stage < last_strided || options.ends.last_stage == LastStage::kStrided)
        return now;
      dilation = stride;
      return Steps{.stride = 1, .dilation = now.dilation};
    };
    for (int i = kStages[stage].first; i < kStages[stage].end; ++i) {
      const ParamScope here = scope.sub(str("features.", i));
      if (i == 0) {
        const Index out = scaled(32, options.width);
        const Index stride = steps(2).stride;
        stages_.back().push_back({{plain_conv(here, 3, out, 3, stride)}, false});
        const Window window{3, stride, 1};
        image = after(image, window);
        see(window);
        image.features = out;
      } else if (static_cast<std::size_t>(i) <= plans.size()) {
        const BlockPlan& plan = plans[static_cast<std::size_t>(i - 1)];
        image = add_block(here.sub("conv"), plan, steps(plan.stride), image);
      } else {
        const Index out = scaled(1280, std::max(1.0, options.width));
        stages_.back().push_back({{plain_conv(here, image.features, out, 1, 1)}, false});
        image.features = out;
      }
    }
    set_grid(stage, image);
  }
}

GridShape MobileNetV2::add_block(const ParamScope& scope, const BlockPlan& plan, const Steps& steps,
                                 GridShape image) {
  const Index hidden = plan.expansion * image.features;
  Block block{{}, plan.stride == 1 && image.features == plan.out};
  int entry = 0;
  if (plan.expansion != 1)
    block.convs.push_back(
        plain_conv(scope.sub(std::to_string(entry++)), image.features, hidden, 1, 1));
  const ParamScope depthwise = scope.sub(std::to_string(entry++));
  block.convs.push_back(
      ConvNorm({depthwise.sub("0"), depthwise.sub("1")}, {.in = hidden,
                                                          .out = hidden,
                                                          .kernel = 3,
                                                          .stride = steps.stride,
                                                          .padding = steps.dilation,
                                                          .groups = hidden,
                                                          .activation = Activation::kRelu6,
                                                          .dilation = steps.dilation}));
  const ParamScope linear = scope.sub(std::to_string(entry));
  // A residual block starts as the identity, as in Resnet.
  block.convs.push_back(
      ConvNorm({linear, scope.sub(std::to_string(entry + 1))},
               {.in = hidden, .out = plan.out, .kernel = 1, .stride = 1, .padding = 0},
               {.gain = block.residual ? 0.0 : 1.0}));
  stages_.back().push_back(std::move(block));
  const Window window{3, steps.stride, steps.dilation, steps.dilation};
  image = after(image, window);
  see(window);
  image.features = plan.out;
  return image;
}

std::vector<Var> MobileNetV2::run(Tape& tape, Var pixels) const {
  std::vector<Var> results;
  Var x = pixels;
  for (const std::vector<Block>& stage : stages_) {
    x = keep_last(tape, x, stage.size(), [&](std::size_t b, Var in) {
      const Block& block = stage[b];
      const Var skip = block.residual ? in : Var{};
      Var inner = in;
      for (std::size_t i = 0; i + 1 < block.convs.size(); ++i) inner = block.convs[i](tape, inner);
      return block.convs.back()(tape, inner, skip);
    });
    results.push_back(x);
  }
  return results;
}

}  // namespace saccade
