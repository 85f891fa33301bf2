// What the native convolutional backbones share: stages, one of which gives the grid, and the
// parameter names of torchvision, by which pretrained weights are loaded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"
#include "core/nn/grid_positions.h"
#include "core/nn/parameter_store.h"
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

// Declares its parameters below a scope up to the stage that is its end. Statistics of batch
// normalisations are parameters too and never change.
class Backbone {
 public:
  virtual ~Backbone() = default;

  // Normalised pixels [B, H, W, 3] -> features [B, rows, cols, C] of the last stage. Throws
  // ShapeError on pixels of other extents than the network was made for.
  Var forward(Tape& tape, Var pixels) const;
  // As those of Encoder: for a network that a file defines.
  virtual void start(ParameterStore&) const {}
  virtual std::string graph() const { return ""; }
  const PixelExtents& input() const { return input_; }
  const GridExtents& grid() const { return stages_.back().grid; }
  // Of a cell of grid(); throws as Encoder::receptive_field().
  virtual ReceptiveField receptive_field() const { return field_; }
  // From the pixels up to the end.
  std::span<const BackboneStage> stages() const { return stages_; }
  // Starts of the names that pretrained weights have beside this network's: those of the stages
  // behind its end and of the classifier.
  std::span<const std::string> unused() const { return unused_; }

 protected:
  Backbone(std::string name, const PixelExtents& input);

  // Notes all stages of the architecture and returns how many are built: those up to `end`, all
  // for "". Throws UsageError when there is no such stage.
  std::size_t plan(std::vector<BackboneStage> stages, const std::string& end,
                   std::vector<std::string> classifier);
  // The extents that a square window leaves of an image.
  struct Window {
    Index kernel, stride, padding;
  };
  GridExtents after(const GridExtents& image, const Window& window) const;
  // Notes that what follows is computed from such windows.
  void see(const Window& window) { field_.see(window.kernel, window.stride, window.padding); }
  // Of stage `index`, once known.
  void set_grid(std::size_t index, const GridExtents& grid) { stages_[index].grid = grid; }

 private:
  virtual Var run(Tape& tape, Var pixels) const = 0;

  std::string name_;
  PixelExtents input_;
  std::vector<BackboneStage> stages_;
  std::vector<std::string> unused_;
  ReceptiveField field_;
};

}  // namespace saccade
