#include "vision/encoders/backbones/inverted.h"

#include <optional>

#include "core/autograd/keep_value.h"
#include "core/nn/conv_norm.h"
#include "core/nn/dense.h"
#include "core/ops/pointwise.h"

namespace saccade {

namespace {

Activation fused(InvertedActivation f) {
  return f == InvertedActivation::kRelu ? Activation::kRelu : Activation::kNone;
}

// A convolution, its normalisation and what follows.
class ActiveConv {
 public:
  ActiveConv(const ParamScope& scope, Conv2dLayout layout, InvertedActivation f, double epsilon)
      : conv_({scope.sub("conv"), scope.sub("bn")}, with(layout, f), {.epsilon = epsilon}), f_(f) {}

  Var operator()(Tape& tape, Var x, Var skip = {}) const {
    const Var y = conv_(tape, x, skip);
    switch (f_) {
      case InvertedActivation::kSilu:
        return ops::nonlinear(y, Nonlinearity::kSilu);
      case InvertedActivation::kHardSwish:
        return ops::nonlinear(y, Nonlinearity::kHardSwish);
      default:
        return y;
    }
  }

 private:
  static Conv2dLayout with(Conv2dLayout layout, InvertedActivation f) {
    layout.activation = fused(f);
    return layout;
  }
  ConvNorm conv_;
  InvertedActivation f_;
};

// Weighs the channels by a small network of their means.
class Squeeze {
 public:
  Squeeze(const ParamScope& scope, Index channels, Index squeezed, bool hard)
      : reduce_(scope.sub("reduce"), {channels, squeezed}),
        expand_(scope.sub("expand"), {squeezed, channels}),
        hard_(hard) {}

  Var operator()(Tape& tape, Var x) const {
    const Var few = reduce_(tape, ops::global_avg_pool(x));
    const Var all =
        expand_(tape, hard_ ? ops::relu(few) : ops::nonlinear(few, Nonlinearity::kSilu));
    return ops::scale_channels(
        x, hard_ ? ops::nonlinear(all, Nonlinearity::kHardSigmoid) : ops::sigmoid(all));
  }

 private:
  Dense reduce_, expand_;
  bool hard_;
};

}  // namespace

// The stem, a block or the head.
struct Inverted::Layer {
  std::optional<ActiveConv> expand{}, depthwise{};
  std::optional<Squeeze> squeeze{};
  ActiveConv project;
  bool residual = false;

  Var operator()(Tape& tape, Var x) const {
    Var inner = expand ? (*expand)(tape, x) : x;
    if (depthwise) inner = (*depthwise)(tape, inner);
    if (squeeze) inner = (*squeeze)(tape, inner);
    return project(tape, inner, residual ? x : Var{});
  }
};

Inverted::~Inverted() = default;

Inverted::Inverted(const InvertedPlan& plan, const BackboneEnds& ends, const ImageSize& input,
                   const ParamScope& scope)
    : Backbone("this network", input) {
  if (ends.last_stage == LastStage::kDilated)
    throw UsageError(
        "encoder.dilate: only residual networks of encoder.type hub can be dilated; set it to "
        "false");
  std::vector<BackboneStage> names{{.name = "stage1", .prefixes = {"stem."}, .grid = {}}};
  std::vector<std::size_t> first{0};  // the first block of every stage
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    if (plan.blocks[b].stride > 1) {
      names.push_back({.name = str("stage", names.size() + 1), .prefixes = {}, .grid = {}});
      first.push_back(b);
    }
    names.back().prefixes.push_back(str("blocks.", b, "."));
  }
  first.push_back(plan.blocks.size());
  const std::size_t strided = names.size();
  if (plan.head > 0) names.push_back({.name = "head", .prefixes = {"head."}, .grid = {}});
  const std::size_t count = this->plan(std::move(names), ends, {});

  GridShape image{{input.height, input.width}, 3};
  const auto shrink = [&](Index kernel, Index stride, Padding padding, Index out) {
    const auto extent = [&](Index pixels) {
      const Index room = pixels + padding.both() - kernel;
      if (room < 0)
        throw UsageError(str("encoder: an image of ", input.height, " x ", input.width,
                             " is too small for the network of encoder.weights"));
      return room / stride + 1;
    };
    image = {{.rows = extent(image.rows), .cols = extent(image.cols)}, out};
    see({kernel, stride, padding.before});
  };
  // The padding around what a window with a stride meets, from that of even extents.
  const auto met = [&](Index kernel, Index stride, Padding even) {
    if (!plan.same_padding || stride == 1) return even;
    if (image.rows % 2 != image.cols % 2)
      throw UsageError(
          str("encoder: the network of encoder.weights pads pictures by their extents, "
              "and would meet ",
              image.rows, " x ", image.cols,
              " cells; choose encoder.image_size and image_width that are multiples "
              "of 32"));
    return image.rows % 2 == 0 ? even : Padding(kernel / 2);
  };
  for (std::size_t stage = 0; stage < count; ++stage) {
    stages_.emplace_back();
    if (stage == 0) {
      const Padding padding = met(plan.stem_kernel, 2, Padding(plan.stem_before, plan.stem_behind));
      stages_.back().push_back(std::make_unique<Layer>(
          Layer{.project = ActiveConv(scope.sub("stem"),
                                      {.in = 3,
                                       .out = plan.stem,
                                       .kernel = plan.stem_kernel,
                                       .stride = 2,
                                       .padding = padding},
                                      plan.stem_activation, plan.epsilon)}));
      shrink(plan.stem_kernel, 2, padding, plan.stem);
    }
    if (stage == strided) {
      stages_.back().push_back(std::make_unique<Layer>(Layer{
          .project = ActiveConv(scope.sub("head"),
                                {.in = image.features, .out = plan.head, .kernel = 1, .padding = 0},
                                plan.head_activation, plan.epsilon)}));
      image.features = plan.head;
      set_grid(stage, image);
      continue;
    }
    for (std::size_t b = first[stage]; b < first[stage + 1]; ++b) {
      const InvertedBlockPlan& block = plan.blocks[b];
      const ParamScope own = scope.sub(str("blocks.", b));
      const Padding padding = met(block.kernel, block.stride, Padding(block.before, block.behind));
      std::optional<ActiveConv> expand, depthwise;
      std::optional<Squeeze> squeeze;
      if (block.expands)
        expand.emplace(
            own.sub("expand"),
            Conv2dLayout{.in = image.features, .out = block.expanded, .kernel = 1, .padding = 0},
            block.activation, plan.epsilon);
      depthwise.emplace(own.sub("depthwise"),
                        Conv2dLayout{.in = block.expanded,
                                     .out = block.expanded,
                                     .kernel = block.kernel,
                                     .stride = block.stride,
                                     .padding = padding,
                                     .groups = block.expanded},
                        block.activation, plan.epsilon);
      if (block.squeezed > 0)
        squeeze.emplace(own.sub("se"), block.expanded, block.squeezed, plan.hard_gate);
      stages_.back().push_back(std::make_unique<Layer>(Layer{
          .expand = expand,
          .depthwise = depthwise,
          .squeeze = squeeze,
          .project = ActiveConv(own.sub("project"),
                                {.in = block.expanded, .out = block.out, .kernel = 1, .padding = 0},
                                InvertedActivation::kNone, plan.epsilon),
          .residual = block.residual}));
      shrink(block.kernel, block.stride, padding, block.out);
    }
    set_grid(stage, image);
  }
}

std::vector<Var> Inverted::run(Tape& tape, Var pixels) const {
  std::vector<Var> results;
  Var x = pixels;
  for (const auto& stage : stages_) {
    x = keep_last(tape, x, stage.size(),
                  [&](std::size_t i, Var in) { return (*stage[i])(tape, in); });
    results.push_back(x);
  }
  return results;
}

}  // namespace saccade
