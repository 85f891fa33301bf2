// What the native convolutional backbones share: stages, some of whose results are grids, and the
// parameter names of torchvision, by which pretrained weights are loaded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"
#include "core/nn/grid_positions.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/last_stage.h"
#include "vision/images/image.h"
#include "vision/images/receptive_field.h"

namespace saccade {

// A part of a backbone that can be its end and that can be frozen as a whole.
struct BackboneStage {
  std::string name;
  std::vector<std::string> prefixes;  // of its parameters' names, below the backbone's scope
  GridShape grid;                     // of its result
};

// A grid that a backbone computes.
struct BackboneResult {
  GridShape grid;
  ReceptiveField field;  // of one cell
  bool whole = false;    // every cell is computed from all cells of the picture
};

// The stages whose results are wanted, in order ("" or an empty list means the last stage), and
// whether the last strides before them are kept.
struct BackboneEnds {
  std::vector<std::string> stages{};
  LastStage last_stage = LastStage::kStrided;
};

// A backbone declares its parameters below a scope, up to the stage that is its end. The statistics
// of batch normalisations are parameters too, and never change.
class Backbone {
 public:
  virtual ~Backbone() = default;

  // Normalised pixels [B, H, W, 3] -> features [B, rows, cols, C] of every result, in one pass.
  // Throws ShapeError on pixels of other extents than the network was made for.
  std::vector<Var> outputs(Tape& tape, Var pixels) const;
  // The features of the first result.
  Var forward(Tape& tape, Var pixels) const { return outputs(tape, pixels)[0]; }
  // As in Encoder, for a network that is defined by a file.
  virtual void start(ParameterStore&) const {}
  virtual std::string graph() const { return ""; }
  const ImageSize& input() const { return input_; }
  // The results, in the order in which they were requested.
  std::span<const BackboneResult> results() const { return results_; }
  // The grid of the first result.
  const GridShape& grid() const { return results_[0].grid; }
  ReceptiveField receptive_field() const { return receptive_field(0); }
  // The receptive field of one cell of a result; throws as Encoder::receptive_field() does.
  ReceptiveField receptive_field(std::size_t result) const;
  // The stages, from the pixels to the end.
  std::span<const BackboneStage> stages() const { return stages_; }
  // Prefixes of names that files of pretrained weights hold in addition to this network's
  // parameters: those of the stages behind its end and of the classifier.
  std::span<const std::string> unused() const { return unused_; }

 protected:
  Backbone(std::string name, const ImageSize& input);

  // Records all stages of the architecture and returns how many of them are built: those up to the
  // last end. Throws UsageError when an end is not one of the stages.
  std::size_t plan(std::vector<BackboneStage> stages, const BackboneEnds& ends,
                   std::vector<std::string> classifier);
  // A square window that slides over an image.
  struct Window {
    Index kernel, stride, padding;
    Index dilation = 1;
    Index reach() const { return (kernel - 1) * dilation + 1; }
  };
  GridShape after(const GridShape& image, const Window& window) const;
  // Extends the receptive field: what follows is computed from such windows.
  void see(const Window& window) { field_.see(window.reach(), window.stride, window.padding); }
  // Records the grid of stage `index`, which is complete.
  void set_grid(std::size_t index, const GridShape& grid);
  // The same where every cell is computed from all cells of the picture, or nearly all.
  void set_whole_grid(std::size_t index, const GridShape& grid);
  // For a network whose results are not those of stages; run() then returns these results.
  void set_results(std::vector<BackboneResult> results);
  // Whether the result of a stage is requested.
  bool wanted(std::size_t stage) const;

 private:
  // Returns the result of every stage that is built; empty for a stage that is not wanted().
  virtual std::vector<Var> run(Tape& tape, Var pixels) const = 0;

  std::string name_;
  ImageSize input_;
  std::vector<BackboneStage> stages_;
  std::vector<std::string> unused_;
  ReceptiveField field_;  // of what is built so far
  std::vector<BackboneResult> results_;
  std::vector<std::size_t> places_;  // the index of each result in what run() returns
};

}  // namespace saccade
