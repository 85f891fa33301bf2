// An ONNX model as a checkpoint holds it: cut off behind the layers that are used, with its numbers
// apart from its definition.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vision/encoders/stored_network.h"

namespace saccade {

// Takes what leads to the layers out of the bytes of the model `file`. Throws DataError where they
// are damaged, have no such layer, or keep numbers in another file.
StoredNetwork store_onnx(std::span<const std::uint8_t> model, const std::string& file,
                         std::span<const std::string> layers);

// The bytes of a model that computes the same as the stored one. Throws DataError, which starts
// with `name`, where it is damaged.
std::vector<std::uint8_t> onnx_of(const StoredNetwork& network, const std::string& name);

}  // namespace saccade
