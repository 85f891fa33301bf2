// Reads the pickles in which PyTorch keeps tensors, without ever running what they ask for: of the
// language of pickles only what a dictionary of tensors needs is understood, and everything else is
// refused by its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// A tensor as the pickle describes it: numbers of a storage.
struct PickledTensor {
  std::string name;     // the keys of the dictionaries above it, joined by dots; "" of a bare one
  std::string type;     // of its numbers, as safetensors calls it
  std::string storage;  // the key of its storage
  std::uint64_t offset = 0;
  std::vector<Index> shape, stride;  // in numbers
  std::uint64_t numbers = 0;         // of its storage, which it does not leave
};

struct PickledStorage {
  std::string key, type;
  std::uint64_t numbers = 0;
};

struct TensorPickle {
  std::vector<PickledTensor> tensors;
  std::vector<PickledStorage> storages;  // by their keys
  std::vector<std::string> texts;        // where the pickle is a list of texts
  std::size_t bytes = 0;                 // the length of the pickle in `text`
};

// Reads the pickle at the beginning of `text`. Throws DataError, which names `source`, where it is
// damaged, holds a tensor that leaves its storage, or asks for anything that tensors do not need.
TensorPickle read_tensor_pickle(std::string_view text, const std::string& source);

}  // namespace saccade
