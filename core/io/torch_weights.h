// Weights by the names and layouts of torch (torchvision, timm): from a safetensors file into a
// ParameterStore and back, bit for bit.
#pragma once

#include <functional>

#include "core/io/safetensors.h"
#include "core/nn/parameter_store.h"

namespace saccade {

// How torch lays the numbers of a parameter out.
enum class TorchLayout {
  kSame,
  kKernel,  // ours [kh, kw, in, out], torch's [out, in, kh, kw]
  kMatrix,  // ours [in, out], torch's [out, in]
};

// What torch calls a parameter; its shape has as many numbers as ours.
struct TorchTensor {
  std::string name;
  std::vector<Index> shape;
  TorchLayout layout = TorchLayout::kSame;
};

// By rank: 4 is a kernel, 2 a matrix, unless the name ends in `table` or `embedding`; all else is
// the same. `gain` and `shift` at the end of a name are torch's `weight` and `bias`.
TorchTensor torch_tensor(const std::string& name, const Shape& shape);
// The shape that torch_tensor() turns into this one. Throws ShapeError on more than five extents.
Shape shape_from_torch(const std::string& name, const std::vector<Index>& shape);

inline namespace SACCADE_NUMERIC {

// What files and networks may differ in without an error: see TorchWeights.
struct TorchWeightReport {
  std::size_t loaded = 0;
  std::vector<std::string> missing, unexpected, misshaped;  // torch's names, each with its reason
  bool complete() const { return missing.empty() && unexpected.empty() && misshaped.empty(); }
  std::string text() const;  // what is missing, unexpected and misshaped, in one line
};

// An array of a file.
struct TorchArray {
  std::string name;
  std::vector<Index> shape;
  std::vector<Real> values{};
};

// Parameters that are not arrays of the file one by one, such as the three matrices that torch
// keeps in one.
struct TorchGroup {
  std::vector<std::string> parameters;  // ours, below the scope
  std::vector<TorchArray> arrays;       // names and shapes as they are written; no values
  // Whether an array of another shape can be read, too; none: never.
  std::function<bool(const TorchArray&)> also_reads{};
  // The parameters' numbers in our layouts from the file's arrays, and back.
  std::function<std::vector<std::vector<Real>>(std::span<const TorchArray>)> read;
  std::function<std::vector<std::vector<Real>>(std::span<const ConstView>)> write;
};

struct TorchWeights {
  std::string scope{};  // of the parameters meant, as ParamScope's prefix; "": all
  // Starts of names of the file that are known to be of no use (a classifier's); counts of batches
  // (`num_batches_tracked`) always are.
  std::vector<std::string> ignored{};
  bool strict = true;  // nothing may be missing or unexpected
  // What torch calls the parameter of a name below the scope; not asked for those of a group.
  std::function<TorchTensor(const std::string&, const Shape&)> names = torch_tensor;
  std::vector<TorchGroup> groups{};
};

// Gives the parameters the numbers of a file. When strict, throws DataError that lists everything
// that is missing, unexpected or of another shape, and changes nothing; else what is missing keeps
// its numbers, what is unexpected is left out, and both are reported: another shape is still an
// error, and so is a file that has none of the names. Throws DataError on numbers that are not
// finite, or of no type of floats.
TorchWeightReport load_torch_weights(const SafetensorsFile& file, const TorchWeights& weights,
                                     ParameterStore& store);

// Writes the parameters as F32 (F64 where Real is double); `weights.ignored` and `strict` are not
// read. Throws as save_safetensors.
void save_torch_weights(const std::filesystem::path& path, const TorchWeights& weights,
                        const ParameterStore& store,
                        const std::map<std::string, std::string>& metadata = {});

// Numbers from our layout into torch's, and back.
std::vector<Real> to_torch(TorchLayout layout, ConstView ours);
void from_torch(TorchLayout layout, std::span<const Real> theirs, View ours);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
