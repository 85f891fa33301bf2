#include "vision/encoders/backbones/vgg.h"

#include <algorithm>
#include <array>

#include "core/autograd/keep_value.h"
#include "core/ops/conv_ops.h"

namespace saccade {

namespace {

constexpr std::size_t kVggStages = 5;

int convs_of(VggDepth depth, std::size_t stage) {
  if (stage < 2) return 2;
  return depth == VggDepth::k16 ? 3 : 4;
}

Index width_of(std::size_t stage) { return std::min(Index{512}, Index{64} << stage); }

// The index of a stage's first convolution in torchvision's list of features, in which a
// convolution and its relu are two entries and a pool is one.
int first_of(VggDepth depth, std::size_t stage) {
  int place = 0;
  for (std::size_t s = 0; s < stage; ++s) place += 2 * convs_of(depth, s) + 1;
  return place;
}

std::string feature(VggDepth depth, std::size_t stage, int conv) {
  return str("features.", first_of(depth, stage) + 2 * conv);
}

std::vector<BackboneStage> vgg_stages(VggDepth depth) {
  std::vector<BackboneStage> stages;
  for (std::size_t s = 0; s < kVggStages; ++s) {
    stages.push_back({.name = str("conv", s + 1), .prefixes = {}, .grid = {}});
    for (int c = 0; c < convs_of(depth, s); ++c)
      stages.back().prefixes.push_back(feature(depth, s, c) + ".");
  }
  return stages;
}

}  // namespace

Vgg::Vgg(const VggOptions& options, const ImageSize& input, const ParamScope& scope)
    : Backbone(options.depth == VggDepth::k16 ? "vgg16" : "vgg19", input) {
  if (options.ends.last_stage == LastStage::kDilated)
    throw UsageError(
        "encoder.dilate: vgg16 and vgg19 stride by pools, and only a convolution can do without "
        "its stride; set it to false (conv5 of 224 x 224 pixels has 14 x 14 cells as it is)");
  const std::size_t count = plan(vgg_stages(options.depth), options.ends, {"classifier."});
  GridShape image{{input.height, input.width}, 3};
  for (std::size_t stage = 0; stage < count; ++stage) {
    if (stage > 0) {
      const Window pool{2, 2, 0};
      image = after(image, pool);
      see(pool);
    }
    convs_.emplace_back();
    for (int c = 0; c < convs_of(options.depth, stage); ++c) {
      convs_.back().emplace_back(
          scope.sub(feature(options.depth, stage, c)),
          Conv2dLayout{
              .in = image.features, .out = width_of(stage), .activation = Activation::kRelu});
      image.features = width_of(stage);
      see({3, 1, 1});
    }
    set_grid(stage, image);
  }
}

std::vector<Var> Vgg::run(Tape& tape, Var pixels) const {
  std::vector<Var> results;
  for (std::size_t stage = 0; stage < convs_.size(); ++stage)
    results.push_back(keep_value(tape, [&] {
      Var x = stage > 0 ? ops::max_pool2d(results.back()) : pixels;
      for (const Conv2d& conv : convs_[stage]) x = conv(tape, x);
      return x;
    }));
  return results;
}

}  // namespace saccade
