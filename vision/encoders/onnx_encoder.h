// OnnxEncoder: a pretrained network from an ONNX file; any of its layers can be the grid.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vision/encoders/encoder_config.h"
#include "vision/encoders/grid.h"
#include "vision/encoders/last_stage.h"

namespace saccade {

struct OnnxEncoderOptions {
  std::filesystem::path model{};
  std::shared_ptr<const StoredNetwork> stored{};  // takes the place of the file, where it is given
  std::string layer{};  // the layer whose output [1, features, rows, cols] is the grid
  std::vector<std::string> layers{};  // several layers instead of one; their grids are joined
  FeatureNorm norm = FeatureNorm::kNone;
  LastStage last_stage = LastStage::kStrided;
  Index image_size = 224;  // the height of the network's input
  Index image_width = 0;   // 0: equal to the height
  ResizeMode resize = ResizeMode::kSquash;
  Interpolation interpolation = Interpolation::kArea;
  Index side = 0;  // PrepareOptions::side
  Normalization normalization{};
};

// Throws UsageError where a config that needs a model file and layers does not name them.
void require_layer(const EncoderConfig& config);

class OnnxEncoder : public FrozenEncoder {
 public:
  // Loads what leads to the layers and runs it once. Throws DataError when the file, or one with
  // its weights, is missing, when a node cannot be run (the message names it and its operator) or
  // asks for too much (NetworkCost), when a layer does not exist (the message suggests the nearest
  // name) or its output is not a grid, and UsageError as GridFusion and dilate_last_stage() do.
  explicit OnnxEncoder(const OnnxEncoderOptions& options);
  ~OnnxEncoder() override;

  GridShape grid() const override;
  PrepareOptions preparation() const override;
  // Throws ShapeError when the image or `out` [regions, features] has the wrong size.
  void encode(const Image& network_image, const PictureArea& area,
              std::span<float> out) const override;
  // The receptive field in the finest layer (GridFusion::finest()). It is computed from the windows
  // in the file, so all operators up to the layers must be known.
  ReceptiveField receptive_field() const override;
  std::string digest() const override;
  // Equal for equal networks, whether they come from one file, from several or from a checkpoint.
  std::string cache_digest() const override;
  StoredNetwork stored() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
