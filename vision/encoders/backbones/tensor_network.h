// The network of an ONNX file of any kind (vision transformers, ConvNeXt, Swin), built from
// saccade's own ops so that it can be trained, for pictures of one size.
#pragma once

#include "vision/encoders/backbones/backbone.h"
#include "vision/encoders/backbones/step_segments.h"
#include "vision/encoders/onnx/tensor_graph.h"

namespace saccade {

// A stage ends behind a step whose output is all that later steps read: behind each half of a block
// of a transformer, say. Parameters are named after nodes: <node>.weight and
// <node>.bias.
class TensorNetwork : public Backbone {
 public:
  // The numbers may be missing, as in a graph from a checkpoint. Throws DataError, which names the
  // step, where steps, arrays and extents do not fit each other, or ask for more memory or work
  // than a picture may need; UsageError where the graph is for pictures of another size.
  TensorNetwork(TensorModel model, const ImageSize& input, const ParamScope& scope);

  void start(ParameterStore& store) const override;
  std::string graph() const override { return tensor_graph_text(model_.graph); }

 private:
  std::vector<Var> run(Tape& tape, Var pixels) const override;
  Var run_step(Tape& tape, std::size_t i, std::span<const Var> inputs) const;
  void declare(const ParamScope& scope, std::size_t i);
  void plan_stages();

  TensorModel model_;
  std::vector<std::vector<int>> parameters_;  // of every step
  std::vector<std::vector<int>> rearranged_;  // of every step, for ops::rearrange; or empty
  StepSegments segments_;
};

}  // namespace saccade
