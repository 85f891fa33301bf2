// What the native convolutional backbones share: stages, some of which give grids, and the
// parameter names of torchvision, by which pretrained weights are loaded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"
#include "core/nn/grid_positions.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/last_stage.h"
#include "vision/encoders/receptive_field.h"

namespace saccade {

struct PixelExtents {
  Index height = 0, width = 0;
};

// A part of a backbone that may be its end, and that may be frozen as one.
struct BackboneStage {
  std::string name;
  std::vector<std::string> prefixes;  // of its parameters' names below the backbone's scope
  GridExtents grid;                   // of its result
};

// A grid that a backbone gives.
struct BackboneResult {
  GridExtents grid;
  ReceptiveField field;  // of a cell
  bool whole = false;    // it is computed from all cells of the picture at once
};

// The stages whose results are asked for, in order, and what becomes of the last strides on the way
// to them; the last stage for "" or where none is named.
struct BackboneEnds {
  std::vector<std::string> stages{};
  LastStage last_stage = LastStage::kStrided;
};

// Declares its parameters below a scope up to the stage that is its end. Statistics of batch
// normalisations are parameters too and never change.
class Backbone {
 public:
  virtual ~Backbone() = default;

  // Normalised pixels [B, H, W, 3] -> features [B, rows, cols, C] of every result, of one pass.
  // Throws ShapeError on pixels of other extents than the network was made for.
  std::vector<Var> outputs(Tape& tape, Var pixels) const;
  // That of the first.
  Var forward(Tape& tape, Var pixels) const { return outputs(tape, pixels)[0]; }
  // As those of Encoder: for a network that a file defines.
  virtual void start(ParameterStore&) const {}
  virtual std::string graph() const { return ""; }
  const PixelExtents& input() const { return input_; }
  // In the order in which they were asked for.
  std::span<const BackboneResult> results() const { return results_; }
  // Of the first result, as the next.
  const GridExtents& grid() const { return results_[0].grid; }
  ReceptiveField receptive_field() const { return receptive_field(0); }
  // Of a cell of a result; throws as Encoder::receptive_field().
  ReceptiveField receptive_field(std::size_t result) const;
  // From the pixels up to the end.
  std::span<const BackboneStage> stages() const { return stages_; }
  // Starts of the names that pretrained weights have beside this network's: those of the stages
  // behind its end and of the classifier.
  std::span<const std::string> unused() const { return unused_; }

 protected:
  Backbone(std::string name, const PixelExtents& input);

  // Notes all stages of the architecture and returns how many are built: those up to the last end.
  // Throws UsageError when there is no such stage.
  std::size_t plan(std::vector<BackboneStage> stages, const BackboneEnds& ends,
                   std::vector<std::string> classifier);
  // The extents that a square window leaves of an image.
  struct Window {
    Index kernel, stride, padding;
    Index dilation = 1;
    Index reach() const { return (kernel - 1) * dilation + 1; }
  };
  GridExtents after(const GridExtents& image, const Window& window) const;
  // Notes that what follows is computed from such windows.
  void see(const Window& window) { field_.see(window.reach(), window.stride, window.padding); }
  // Of stage `index`, which is complete.
  void set_grid(std::size_t index, const GridExtents& grid);
  // Of a network whose results are not those of stages; run() then gives these.
  void set_results(std::vector<BackboneResult> results);
  // Whether the result of a stage is asked for.
  bool wanted(std::size_t stage) const;

 private:
  // What every stage that is built gives; empty where it is not wanted().
  virtual std::vector<Var> run(Tape& tape, Var pixels) const = 0;

  std::string name_;
  PixelExtents input_;
  std::vector<BackboneStage> stages_;
  std::vector<std::string> unused_;
  ReceptiveField field_;  // of what is built so far
  std::vector<BackboneResult> results_;
  std::vector<std::size_t> places_;  // of the results among what run() gives
};

}  // namespace saccade
