// The network of an ONNX file as ops of ours, so that it can be trained.
#pragma once

#include <functional>

#include "core/ops/conv_ops.h"
#include "vision/encoders/backbones/backbone.h"
#include "vision/encoders/onnx/read_onnx.h"

namespace saccade {

// Stages stage1, stage2, ... end where the grid becomes smaller. Parameters are named by nodes:
// <node>.weight, <node>.bias.
class OnnxNetwork : public Backbone {
 public:
  // Weights may be missing: of a graph from a checkpoint. Throws DataError where steps and numbers
  // do not fit each other, the image, or what ops can do, naming the node.
  OnnxNetwork(OnnxModel model, const PixelExtents& input, const ParamScope& scope);

  void start(ParameterStore& store) const override;
  std::string graph() const override { return graph_text(model_.graph); }

 private:
  // What a step makes of images of one size, and with what.
  struct Layer {
    GridExtents out;
    Index level = 0;  // how often the grid became smaller on the way here
    int weight = -1, bias = -1;
    Padding padding{};
    ReceptiveField field{};
    bool whole = false;  // it is computed from all cells of an image
  };
  std::vector<Var> run(Tape& tape, Var pixels) const override;
  Var run_step(Tape& tape, std::size_t i, std::span<const Var> values) const;
  // The steps [first, last) from the value before them, which is all that they take; calls
  // made(value's number, Var) for each.
  using Made = std::function<void(int, Var)>;
  Var run_steps(Tape& tape, std::size_t first, std::size_t last, Var value, const Made& made) const;

  Layer planned(const OnnxStep& step) const;
  Padding padding_of(const OnnxStep& step, const GridExtents& in) const;
  GridExtents extents_after(const OnnxStep& step, const GridExtents& in,
                            const Padding& padding) const;
  const Layer& input_of(const OnnxStep& step, std::size_t i = 0) const;
  // Where a layer whose inputs and padding are known looks at the pixels.
  void set_field(const OnnxStep& step, Layer& layer) const;
  void declare(const ParamScope& scope, std::size_t i);
  void plan_stages();
  void find_narrows();

  OnnxModel model_;
  std::vector<Layer> layers_;  // the image, then one a step
  // Ends of runs of steps: what comes behind one takes nothing from before it but its last value.
  std::vector<std::size_t> narrows_;
};

}  // namespace saccade
