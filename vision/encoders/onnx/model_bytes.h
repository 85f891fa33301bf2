// An ONNX file as bytes with all of its weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// Reads the file, and the files beside it in which it keeps weights.
// Throws DataError where one is missing, damaged or not a model.
std::vector<std::uint8_t> read_model_bytes(const std::filesystem::path& file);

// The side of the square pictures that the file says the network takes; 0 where it leaves their
// size open or says something else. Throws as read_model_bytes().
Index stated_picture_side(const std::filesystem::path& file);

}  // namespace saccade
