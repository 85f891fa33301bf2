#include "vision/encoders/backbones/convnext.h"

#include <optional>

#include "core/autograd/keep_value.h"
#include "core/nn/conv2d.h"
#include "core/nn/dense.h"
#include "core/nn/norms.h"
#include "core/ops/network_ops.h"
#include "core/ops/pointwise.h"
#include "core/ops/shape_ops.h"

namespace saccade {

namespace {

// x + s * dense(gelu(widen(norm(depthwise(x))))).
class ConvnextBlock {
 public:
  ConvnextBlock(const ParamScope& scope, const ConvnextPlan& plan, Index width)
      : depthwise_(scope.sub("conv_dw"), {.in = width,
                                          .out = width,
                                          .kernel = plan.kernel,
                                          .padding = plan.kernel / 2,
                                          .groups = width}),
        norm_(scope.sub("norm"), width, plan.epsilon),
        widen_(scope.sub("mlp.fc1"), {width, plan.multiple * width}),
        narrow_(scope.sub("mlp.fc2"), {plan.multiple * width, width}) {
    if (plan.response_norm) {
      const ParamScope own = scope.sub("mlp.grn");
      const Index hidden = plan.multiple * width;
      response_ = {own.declare("weight", {hidden}, Init::constant(0), Decay::kNo),
                   own.declare("bias", {hidden}, Init::constant(0), Decay::kNo)};
    }
    if (plan.layer_scale)
      scale_ = scope.declare("gamma", {width}, Init::constant(1e-6), Decay::kNo);
  }

  Var operator()(Tape& tape, Var x) const {
    Var y = ops::gelu(widen_(tape, norm_(tape, depthwise_(tape, x))));
    if (response_) {
      const Shape shape = y.shape();
      const Var rows = ops::reshape(y, {shape[0], shape[1] * shape[2], shape[3]});
      y = ops::reshape(ops::response_norm(rows, tape.parameter((*response_)[0]),
                                          tape.parameter((*response_)[1])),
                       shape);
    }
    y = narrow_(tape, y);
    return ops::add(x, scale_ ? ops::scale_channels(y, tape.parameter(*scale_)) : y);
  }

 private:
  Conv2d depthwise_;
  LayerNorm norm_;
  Dense widen_, narrow_;
  std::optional<std::array<int, 2>> response_;
  std::optional<int> scale_;
};

}  // namespace

struct Convnext::Stage {
  std::optional<LayerNorm> before;  // the halving, in the stem after it
  Conv2d halve;
  bool stem;
  std::vector<ConvnextBlock> blocks;
};

Convnext::~Convnext() = default;

Convnext::Convnext(const ConvnextPlan& plan, const BackboneEnds& ends, const ImageSize& input,
                   const ParamScope& scope)
    : Backbone("ConvNeXt", input) {
  if (ends.last_stage == LastStage::kDilated)
    throw UsageError(
        "encoder.dilate: ConvNeXt halves by cutting patches, which cannot be dilated; "
        "set it to false");
  std::vector<BackboneStage> names;
  for (std::size_t s = 0; s < plan.depths.size(); ++s) {
    names.push_back(
        {.name = str("stage", s + 1), .prefixes = {str("stages.", s, ".")}, .grid = {}});
    if (s == 0) names.back().prefixes.emplace_back("stem.");
  }
  const std::size_t count = this->plan(std::move(names), ends, {});
  GridShape image{{input.height, input.width}, 3};
  for (std::size_t s = 0; s < count; ++s) {
    const Index width = plan.widths[s], side = s == 0 ? plan.patch : 2;
    const ParamScope own = scope.sub(str("stages.", s));
    const ParamScope halving = s == 0 ? scope.sub("stem") : own.sub("downsample");
    const ParamScope conv = halving.sub(s == 0 ? "0" : "1"), norm = halving.sub(s == 0 ? "1" : "0");
    stages_.push_back(std::make_unique<Stage>(Stage{
        LayerNorm(norm, s == 0 ? width : image.features, plan.epsilon),
        Conv2d(conv,
               {.in = image.features, .out = width, .kernel = side, .stride = side, .padding = 0}),
        s == 0,
        {}}));
    image = after(image, {side, side, 0});
    see({side, side, 0});
    image.features = width;
    for (Index b = 0; b < plan.depths[s]; ++b) {
      stages_.back()->blocks.emplace_back(own.sub(str("blocks.", b)), plan, width);
      see({plan.kernel, 1, plan.kernel / 2});
    }
    set_grid(s, image);
  }
}

std::vector<Var> Convnext::run(Tape& tape, Var pixels) const {
  std::vector<Var> results;
  Var x = pixels;
  for (const auto& stage : stages_) {
    x = keep_value(tape, [&] {
      return stage->stem ? (*stage->before)(tape, stage->halve(tape, x))
                         : stage->halve(tape, (*stage->before)(tape, x));
    });
    x = keep_last(tape, x, stage->blocks.size(),
                  [&](std::size_t b, Var in) { return stage->blocks[b](tape, in); });
    results.push_back(x);
  }
  return results;
}

}  // namespace saccade
