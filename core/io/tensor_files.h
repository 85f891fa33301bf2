// Published weights in whatever container a hub has them.
#pragma once

#include <memory>

#include "core/io/safetensors.h"

namespace saccade {

// Opens the tensors at a path, by what is there and not by its name:
// - a safetensors file,
// - the index of weights that lie in several files beside it (model.safetensors.index.json),
// - what torch.save wrote (.bin, .pth, .pt), in its zip form or the one before, with dictionaries
//   inside dictionaries as parts of the names (tensor_pickle.h),
// - a folder with one of these.
// Throws DataError where there is nothing of that, or it is damaged or broken in another way, and
// IoError where it may not be read. A tensor that torch.save wrote outside of a dictionary is read
// only where `bare` is set; its name is "".
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path, bool bare = false);

// What to name instead of a folder of huggingface_hub's cache, which has its files in folders
// below; "" for any other folder.
std::string snapshot_advice(const std::filesystem::path& folder);

}  // namespace saccade
