#include "vision/encoders/backbones/backbone.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace saccade {

Backbone::Backbone(std::string name, const ImageSize& input)
    : name_(std::move(name)), input_(input) {
  if (input.height < 1 || input.width < 1)
    throw UsageError(str("encoder: ", name_, " needs at least one pixel; got an image of ",
                         input.height, " x ", input.width));
}

std::vector<Var> Backbone::outputs(Tape& tape, Var pixels) const {
  const Shape& shape = pixels.shape();
  SACCADE_CHECK(shape.rank() == 4 && shape == Shape({shape[0], input_.height, input_.width, 3}),
                "[", name_, "] made for [B, ", input_.height, ", ", input_.width, ", 3]; got ",
                shape);
  const std::vector<Var> all = run(tape, pixels);
  std::vector<Var> results;
  for (const std::size_t place : places_) results.push_back(all[place]);
  return results;
}

ReceptiveField Backbone::receptive_field(std::size_t result) const {
  if (results_[result].whole)
    throw UsageError("encoder.layer is computed from all cells of the picture at once");
  return results_[result].field;
}

std::size_t Backbone::plan(std::vector<BackboneStage> stages, const BackboneEnds& ends,
                           std::vector<std::string> classifier) {
  std::vector<std::string> names;
  for (const BackboneStage& stage : stages) names.push_back(stage.name);
  std::vector<std::string> wanted = ends.stages;
  if (wanted.empty()) wanted.emplace_back();
  std::size_t count = 0;
  for (const std::string& end : wanted) {
    const auto found = std::find(names.begin(), names.end(), end.empty() ? names.back() : end);
    if (found == names.end())
      throw UsageError(
          str("encoder: ", name_, " has no stage '", end, "'", did_you_mean(end, names)));
    places_.push_back(static_cast<std::size_t>(found - names.begin()));
    count = std::max(count, places_.back() + 1);
  }
  results_.resize(wanted.size());
  unused_ = std::move(classifier);
  for (std::size_t i = count; i < stages.size(); ++i)
    unused_.insert(unused_.end(), stages[i].prefixes.begin(), stages[i].prefixes.end());
  stages.resize(count);
  stages_ = std::move(stages);
  return count;
}

void Backbone::set_grid(std::size_t index, const GridShape& grid) {
  stages_[index].grid = grid;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i] == index) results_[i] = {.grid = grid, .field = field_};
}

void Backbone::set_whole_grid(std::size_t index, const GridShape& grid) {
  set_grid(index, grid);
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i] == index) results_[i].whole = true;
}

void Backbone::set_results(std::vector<BackboneResult> results) {
  results_ = std::move(results);
  places_.resize(results_.size());
  std::iota(places_.begin(), places_.end(), std::size_t{0});
}

bool Backbone::wanted(std::size_t stage) const {
  return std::find(places_.begin(), places_.end(), stage) != places_.end();
}

GridShape Backbone::after(const GridShape& image, const Window& window) const {
  const auto extent = [&](Index pixels) {
    const Index room = pixels + 2 * window.padding - window.reach();
    if (room < 0)
      throw UsageError(str("encoder: an image of ", input_.height, " x ", input_.width,
                           " is too small for ", name_));
    return room / window.stride + 1;
  };
  return {{.rows = extent(image.rows), .cols = extent(image.cols)}, image.features};
}

}  // namespace saccade
