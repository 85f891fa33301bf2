#include "vision/encoders/backbones/backbone.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace saccade {

Backbone::Backbone(std::string name, const PixelExtents& input)
    : name_(std::move(name)), input_(input) {
  if (input.height < 1 || input.width < 1)
    throw UsageError(str("encoder: ", name_, " needs at least one pixel; got an image of ",
                         input.height, " x ", input.width));
}

Var Backbone::forward(Tape& tape, Var pixels) const {
  const Shape& shape = pixels.shape();
  SACCADE_CHECK(shape.rank() == 4 && shape == Shape({shape[0], input_.height, input_.width, 3}),
                "[", name_, "] made for [B, ", input_.height, ", ", input_.width, ", 3]; got ",
                shape);
  return run(tape, pixels);
}

std::size_t Backbone::plan(std::vector<BackboneStage> stages, const std::string& end,
                           std::vector<std::string> classifier) {
  std::vector<std::string> names;
  for (const BackboneStage& stage : stages) names.push_back(stage.name);
  const auto found = std::find(names.begin(), names.end(), end.empty() ? names.back() : end);
  if (found == names.end())
    throw UsageError(
        str("encoder: ", name_, " has no stage '", end, "'", did_you_mean(end, names)));
  const auto count = static_cast<std::size_t>(found - names.begin()) + 1;
  unused_ = std::move(classifier);
  for (std::size_t i = count; i < stages.size(); ++i)
    unused_.insert(unused_.end(), stages[i].prefixes.begin(), stages[i].prefixes.end());
  stages.resize(count);
  stages_ = std::move(stages);
  return count;
}

GridExtents Backbone::after(const GridExtents& image, const Window& window) const {
  const auto extent = [&](Index pixels) {
    const Index room = pixels + 2 * window.padding - window.kernel;
    if (room < 0)
      throw UsageError(str("encoder: an image of ", input_.height, " x ", input_.width,
                           " is too small for ", name_));
    return room / window.stride + 1;
  };
  return {.rows = extent(image.rows), .cols = extent(image.cols), .features = image.features};
}

}  // namespace saccade
