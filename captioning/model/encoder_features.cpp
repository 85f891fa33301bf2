#include "captioning/model/encoder_features.h"

#include <algorithm>
#include <array>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/io/array_file.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

// The features of a model that takes those of another program, without what its config adds.
EncoderFeatures given_features(const GivenFeatures& encoder, std::span<const float> input,
                               const RegionPlaces& places) {
  const FeatureForm& form = encoder.form();
  const GridShape grid = form.grid();
  const Index count = places ? places->count : grid.cells();
  EncoderFeatures out{.shape = {form.rows, form.cols, form.width}};
  if (form.scattered) out.shape = {count, form.width};
  const auto take = [&](Index row, std::vector<float>& to) {
    const float* from = input.data() + row * grid.features;
    to.insert(to.end(), from, from + form.width);
  };
  for (Index r = 0; r < count; ++r) take(r, out.values);
  if (places && places->in_time) out.times = places->times;
  if (places && !places->in_time) out.boxes = places->boxes;
  if (form.pooled) take(grid.cells(), out.pooled);
  return out;
}

// `features` [cells, D] of the whole grid.
EncoderFeatures shown_cells(std::span<const Real> features, const GridShape& grid,
                            const Geometry& geometry) {
  const CellBlock shown = picture_cells(picture_area(geometry), grid);
  EncoderFeatures out{.shape = {shown.rows(), shown.cols(), grid.features}};
  for (Index row = shown.top; row < shown.bottom; ++row) {
    const Real* from = features.data() + (row * grid.cols + shown.left) * grid.features;
    out.values.insert(out.values.end(), from, from + shown.cols() * grid.features);
  }
  return out;
}

}  // namespace

EncoderFeatures encoder_features(const OpenModel& model, const InputView& input,
                                 const Geometry& geometry) {
  const InputPipeline& pipeline = *model.pipeline;
  if (pipeline.reads_features())
    return given_features(pipeline.features(), input.values.span(), geometry.places);
  if (pipeline.frozen()) return shown_cells(input.values.span(), pipeline.frozen_grid(), geometry);
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.model->parameters().views());
  const EncodedImages images = model.model->encode_regions(tape, input);
  EncoderFeatures out =
      shown_cells(images.features.value().span(), model.model->encoder_grid(), geometry);
  if (images.pooled) {
    const std::span<const Real> pooled = images.pooled.value().span();
    out.pooled.assign(pooled.begin(), pooled.end());
  }
  return out;
}

void check_encoder_features(const OpenModel& model, const EncoderConfig& encoder) {
  if (model.pipeline->reads_text())
    throw UsageError(
        str(model.name, ": its encoder reads texts, and files of features are of pictures"));
  if (encoder.placeless)
    throw UsageError(str(model.name,
                         ": files of features have regions of the photo alone, and the model "
                         "attends to tokens without a place, too (encoder.placeless)"));
}

OpenModel of_features(OpenModel model, const EncoderConfig& encoder) {
  if (model.pipeline->reads_features()) return model;
  check_encoder_features(model, encoder);
  model.pipeline = std::make_shared<const InputPipeline>(encoder, model.model->encoder_grid(),
                                                         model.pipeline->listener());
  return model;
}

void write_features(const fs::path& folder, const std::string& name,
                    const EncoderFeatures& features) {
  const std::string file = name + ".npy";
  const Index regions = std::ssize(features.boxes), width = features.shape.back();
  if (!features.times.empty())
    write_file(folder / kTimesFolder / file,
               numpy_file(std::array{std::ssize(features.times)}, features.times));
  if (!features.pooled.empty())
    write_file(folder / kPooledFolder / file, numpy_file(std::array{width}, features.pooled));
  if (regions > 0) {
    std::vector<float> edges;
    for (const RegionBox& box : features.boxes)
      edges.insert(edges.end(), {box.left, box.top, box.right, box.bottom});
    write_file(folder / kBoxesFolder / file, numpy_file(std::array{regions, Index{4}}, edges));
  }
  write_file(folder / file, numpy_file(features.shape, features.values));
}

}  // namespace saccade
