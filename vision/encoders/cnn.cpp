#include "vision/encoders/cnn.h"

#include <numeric>

#include "core/base/error.h"
#include "core/ops/shape_ops.h"

namespace saccade {

namespace {

constexpr std::size_t kHalvingStages = 3;

Index stride_of(std::size_t stage) { return stage < kHalvingStages ? 2 : 1; }

// A window of stride 2 covers three pixels where an output cell stands for two, so its centre is
// half a pixel off: before the pair with one zero on both sides, behind it with one zero behind
// only. The third stage pads behind to make up for the first two: a final cell of 8 x 8 pixels then
// sees the surroundings of its pixel 4. An odd side leaves no such choice.
Padding padding_of(std::size_t stage, Index height, Index width) {
  return stage == kHalvingStages - 1 && height % 2 == 0 && width % 2 == 0 ? Padding(0, 1) : 1;
}

// The length of a side of the image before a stage; with the number of stages, the side of the
// grid.
Index side_at(Index side, std::size_t stage) {
  for (std::size_t s = 0; s < stage; ++s) side = (side - 1) / stride_of(s) + 1;
  return side;
}

// The extents of the grid, without what positions append.
GridShape plain_grid(const EncoderConfig& config) {
  if (config.channels.empty() || config.height() < 1 || config.width() < 1)
    throw UsageError(str("encoder: a cnn needs at least one stage and one pixel; got ",
                         config.channels.size(), " channels, image_size ", config.image_size,
                         ", image_width ", config.image_width));
  const std::size_t stages = config.channels.size();
  return {{.rows = side_at(config.height(), stages), .cols = side_at(config.width(), stages)},
          config.channels.back()};
}

}  // namespace

CnnEncoder::CnnEncoder(const EncoderConfig& config, const ParamScope& scope)
    : height_(config.height()),
      width_(config.width()),
      positions_(scope.sub("positions"), config.positions, plain_grid(config)) {
  Index in = 3;
  for (std::size_t stage = 0; stage < config.channels.size(); ++stage) {
    const Index out = config.channels[stage];
    const ParamScope here = scope.sub("stage" + std::to_string(stage + 1));
    const Padding padding = padding_of(stage, side_at(height_, stage), side_at(width_, stage));
    field_.see(3, stride_of(stage), padding.before);
    // No bias: the normalisation has a shift of its own.
    stages_.push_back(
        {Conv2d(here.sub("conv"), {.in = in,
                                   .out = out,
                                   .kernel = 3,
                                   .stride = stride_of(stage),
                                   .padding = padding,
                                   .bias = false}),
         GroupNorm(here.sub("norm"), out,
                   {.groups = std::gcd(out, Index{8}), .activation = Activation::kRelu})});
    in = out;
  }
  grid_ = plain_grid(config);
  grid_.features = positions_.features();
}

Var CnnEncoder::forward(Tape& tape, Var pixels) const {
  const Shape& shape = pixels.shape();
  SACCADE_CHECK(shape == Shape({shape[0], height_, width_, 3}), "[cnn] made for [B, ", height_,
                ", ", width_, ", 3]; got ", shape);
  const Index batch = shape[0];
  Var x = pixels;
  for (const Stage& stage : stages_) x = stage.norm(tape, stage.conv(tape, x));
  const Index features = x.cols();
  return positions_(tape, ops::reshape(x, {batch, grid_.cells(), features}));
}

std::vector<EncoderStage> CnnEncoder::stages() const {
  std::vector<EncoderStage> out;
  for (std::size_t s = 1; s <= stages_.size(); ++s) {
    const std::string name = "stage" + std::to_string(s);
    out.push_back({.name = name, .prefixes = {name}});
  }
  return out;
}

std::unique_ptr<Encoder> make_cnn_encoder(const EncoderConfig& config, const ParamScope& scope) {
  return std::make_unique<CnnEncoder>(config, scope);
}

}  // namespace saccade
