// The network of an ONNX file, built from saccade's own ops so that it can be trained.
#pragma once

#include <optional>

#include "core/ops/conv_ops.h"
#include "vision/encoders/backbones/backbone.h"
#include "vision/encoders/backbones/step_segments.h"
#include "vision/encoders/onnx/read_onnx.h"

namespace saccade {

// The stages stage1, stage2, ... end where the grid becomes smaller. Parameters are named after
// nodes: <node>.weight and <node>.bias.
class OnnxNetwork : public Backbone {
 public:
  // The weights may be missing, as in a graph from a checkpoint. Throws DataError, which names the
  // node, where steps and weights do not fit each other, do not fit the image, need what the ops
  // cannot do, or ask for more memory or work than an image may need.
  OnnxNetwork(OnnxModel model, const ImageSize& input, const ParamScope& scope);

  void start(ParameterStore& store) const override;
  std::string graph() const override { return graph_text(model_.graph); }

  // The grids of all steps for images of this size; empty for a step that cannot be a layer: it
  // does not fit the image, needs what the ops cannot do, or nothing before it has weights.
  static std::vector<std::optional<GridShape>> grids_of(const OnnxGraph& graph,
                                                        const ImageSize& input);

 private:
  explicit OnnxNetwork(const ImageSize& input);
  // The output of a step for images of one size, and what computes it.
  struct Layer {
    GridShape out;
    Index level = 0;  // how many times the grid became smaller on the way here
    int weight = -1, bias = -1;
    Padding padding{};
    ReceptiveField field{};
    bool whole = false;  // every cell is computed from all cells of an image
  };
  std::vector<Var> run(Tape& tape, Var pixels) const override;
  Var run_step(Tape& tape, std::size_t i, std::span<const Var> values) const;

  Layer planned(const OnnxStep& step) const;
  Padding padding_of(const OnnxStep& step, const GridShape& in) const;
  GridShape extents_after(const OnnxStep& step, const GridShape& in, const Padding& padding) const;
  const Layer& input_of(const OnnxStep& step, std::size_t i = 0) const;
  // Sets the receptive field of a layer whose inputs and padding are known.
  void set_field(const OnnxStep& step, Layer& layer) const;
  void declare(const ParamScope& scope, std::size_t i);
  void plan_stages();

  OnnxModel model_;
  std::vector<Layer> layers_;  // the image, then one per step
  StepSegments segments_;
};

}  // namespace saccade
