// OnnxEncoder: a pretrained network from an ONNX file, any layer of which is the grid.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/config/encoder_config.h"
#include "vision/encoders/grid.h"
#include "vision/encoders/last_stage.h"

namespace saccade {

struct OnnxEncoderOptions {
  std::filesystem::path model{};
  std::string layer{};  // the layer whose output [1, features, rows, cols] is the grid
  std::vector<std::string> layers{};  // several instead of it, whose grids are joined
  FeatureNorm norm = FeatureNorm::kNone;
  LastStage last_stage = LastStage::kStrided;
  Index image_size = 224;  // the height of the network's input
  Index image_width = 0;   // 0: as the height
  ResizeMode resize = ResizeMode::kSquash;
  Normalization normalization{};
};

struct OnnxLayer {
  std::string name, type;
  std::vector<Index> shape;  // of its output, [1, features, rows, cols] for what can be a grid
};

// Throws UsageError where a config that needs a file and layers names none.
void require_layer(const EncoderConfig& config);

// The layers of a model for square images of the given size, in order of computation; shapes are
// left empty where the model does not say. Throws DataError as OnnxEncoder does.
std::vector<OnnxLayer> list_onnx_layers(const std::filesystem::path& model, Index image_size);

class OnnxEncoder : public FrozenEncoder {
 public:
  // Loads the model and runs it once. Throws DataError when the file is missing or is no model that
  // can be run, when no layer has a name (naming the nearest), or its output is no grid, and
  // UsageError as GridFusion and dilate_last_stage() do.
  explicit OnnxEncoder(const OnnxEncoderOptions& options);
  ~OnnxEncoder() override;

  GridShape grid() const override;
  PrepareOptions preparation() const override;
  // Throws ShapeError when the image or `out` [regions, features] has another size.
  void encode(const Image& network_image, const PictureArea& area,
              std::span<float> out) const override;
  // Of the finest layer (GridFusion::finest()), from the file's windows, where all of its operators
  // up to the layers are known.
  ReceptiveField receptive_field() const override;
  std::string digest() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
