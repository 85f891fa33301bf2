// The network of an ONNX file that training can change, in whichever form it can be read.
#pragma once

#include <filesystem>
#include <memory>

#include "vision/encoders/backbones/backbone.h"

namespace saccade {

// An OnnxNetwork, of images and for any size of picture, where the file has operators of such a one
// alone; otherwise a TensorNetwork for pictures of this size. Throws what these and their readers
// throw.
std::unique_ptr<Backbone> read_onnx_backbone(const std::filesystem::path& file,
                                             const BackboneEnds& ends, const ImageSize& input,
                                             const ParamScope& scope);
// The same of the text that graph() of such a network returned, without weights.
std::unique_ptr<Backbone> onnx_backbone_of_text(const std::string& text, const ImageSize& input,
                                                const ParamScope& scope);

}  // namespace saccade
