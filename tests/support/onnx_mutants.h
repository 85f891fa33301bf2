// ONNX files that were changed in one place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade::test {

struct OnnxMutant {
  std::string what;   // the place and the change
  std::string bytes;  // of the file
};

// The model of a file with one change each: every number of an attribute becomes 0, negative, huge,
// infinite or NaN, every extent of an array, too; every array loses its numbers or is missing;
// inputs are missing or lead elsewhere; operators have another's name; nodes are there twice or in
// another order.
std::vector<OnnxMutant> onnx_mutants(const std::filesystem::path& valid);

// Moves the numbers of all arrays but the first `inside` into the file `location` beside the model,
// as torch.onnx.export does.
void move_weights_outside(const std::filesystem::path& model, const std::string& location,
                          int inside = 0);
// Sets what the file says of the extents of its first input; or takes from it what it says of those
// of its inputs and outputs; or adds an input of floats.
void set_image(const std::filesystem::path& model, const std::vector<Index>& extents);
void forget_extents(const std::filesystem::path& model);
void add_input(const std::filesystem::path& model, const std::string& name,
               const std::vector<Index>& extents);
// Sets what every array outside says of its place: location, offset or length.
void set_outside(const std::filesystem::path& model, const std::string& key,
                 const std::string& value);

}  // namespace saccade::test
