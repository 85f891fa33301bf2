// Reads weights with the names and layouts of torch (torchvision, timm) from a safetensors file
// into a ParameterStore, and writes them back, bit for bit.
#pragma once

#include <functional>

#include "core/io/safetensors.h"
#include "core/nn/parameter_store.h"

namespace saccade {

// The layout in which torch stores a parameter.
enum class TorchLayout {
  kSame,
  kKernel,  // saccade's [kh, kw, in, out], torch's [out, in, kh, kw]
  kMatrix,  // saccade's [in, out], torch's [out, in]
};

// A parameter as torch has it; the shape has the same number of elements as in saccade.
struct TorchTensor {
  std::string name;
  std::vector<Index> shape;
  TorchLayout layout = TorchLayout::kSame;
};

// The layout follows from the rank: rank 4 is a kernel, rank 2 a matrix, unless the name ends in
// `table` or `embedding`; everything else is the same. `gain` and `shift` at the end of a name are
// torch's `weight` and `bias`.
TorchTensor torch_tensor(const std::string& name, const Shape& shape);
// The inverse of torch_tensor() for shapes. Throws ShapeError on more than five extents.
Shape shape_from_torch(const std::string& name, const std::vector<Index>& shape);

inline namespace SACCADE_NUMERIC {

// The differences between a file and a network that are not always errors; see TorchWeights.
struct TorchWeightReport {
  std::size_t loaded = 0;
  // Torch's names; the misshaped ones with the reason.
  std::vector<std::string> missing, unexpected, misshaped;
  std::string prefix{};  // what stood before the file's names and was taken away, with its dot
  bool complete() const { return missing.empty() && unexpected.empty() && misshaped.empty(); }
  std::string text() const;  // what is missing, unexpected and misshaped, in one line
  // What was done to the names of the file, in one line; "" where they are as they should be.
  std::string prefix_text() const;
};

// An array of a file.
struct TorchArray {
  std::string name;
  std::vector<Index> shape;
  std::vector<Real> values{};
};

// Parameters that do not correspond to arrays of the file one by one, such as the three matrices
// that torch keeps in one array.
struct TorchGroup {
  std::vector<std::string> parameters;  // saccade's names, below the scope
  std::vector<TorchArray> arrays;       // names and shapes as written to a file; without values
  // Whether an array of another shape can be read as well; no function: it cannot.
  std::function<bool(const TorchArray&)> also_reads{};
  // Computes the parameters' values in saccade's layouts from the file's arrays, and the reverse.
  std::function<std::vector<std::vector<Real>>(std::span<const TorchArray>)> read;
  std::function<std::vector<std::vector<Real>>(std::span<const ConstView>)> write;
};

struct TorchWeights {
  std::string scope{};  // of the parameters to load, as a prefix of ParamScope; "": all
  // Prefixes of names in the file that are known not to be needed (a classifier's). Counters of
  // batches (`num_batches_tracked`) are always ignored.
  std::vector<std::string> ignored{};
  bool strict = true;  // whether it is an error if anything is missing or unexpected
  // Prefixes of names that are left out only where a network of another kind has them, so that
  // without them it is another function; they are refused even if not strict.
  std::vector<std::string> changing{};
  // The torch name of a parameter, from its name below the scope; not called for parameters of a
  // group.
  std::function<TorchTensor(const std::string&, const Shape&)> names = torch_tensor;
  std::vector<TorchGroup> groups{};
};

// Gives the parameters the values of a file. Where more names of the file fit once a prefix is
// taken away that programs put before a network's names (`module.`, `backbone.`, `encoder.` or
// several of them), it is taken away, and arrays without it, such as a head, count as not needed;
// the report says so. If strict, throws DataError, which lists everything that is missing,
// unexpected or of another shape, and changes nothing. Otherwise, parameters that the file lacks
// keep their values, unexpected arrays are ignored, and both are reported; another shape is still
// an error, and so is a file with none of the names, or an unexpected array within a part of the
// network, without which that part computes something else. Throws DataError on values that are
// not finite and on types other than floats, after parameters before them were given theirs.
TorchWeightReport load_torch_weights(const TensorFile& file, const TorchWeights& weights,
                                     ParameterStore& store);

// Writes the parameters as F32 (F64 where Real is double); `weights.ignored` and `strict` are not
// used. Throws as save_safetensors does.
void save_torch_weights(const std::filesystem::path& path, const TorchWeights& weights,
                        const ParameterStore& store,
                        const std::map<std::string, std::string>& metadata = {});

// Converts numbers from saccade's layout into torch's, and back.
std::vector<Real> to_torch(TorchLayout layout, ConstView ours);
void from_torch(TorchLayout layout, std::span<const Real> theirs, View ours);

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
