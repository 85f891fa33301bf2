#include "core/io/torch_weights.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/io/safetensors_header.h"

namespace saccade {

namespace {

std::vector<Index> extents(const Shape& shape) {
  std::vector<Index> out;
  for (int a = 0; a < shape.rank(); ++a) out.push_back(shape[a]);
  return out;
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "[";
  for (const Index extent : shape) text += str(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

std::string list_text(const char* what, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string text = str("; ", names.size(), " ", what, ": ");
  for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text;
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// gain and shift are our names of what torch calls weight and bias in a normalisation.
std::string torch_name(const std::string& name) {
  const std::string_view last = last_part(name);
  const std::string start = name.substr(0, name.size() - last.size());
  if (last == "gain") return start + "weight";
  if (last == "shift") return start + "bias";
  return name;
}

TorchLayout torch_layout(const std::string& name, std::size_t rank) {
  if (rank == 4) return TorchLayout::kKernel;
  const std::string_view last = last_part(name);
  const bool rows = last == "table" || last == "embedding";  // a row an entry in both
  return rank == 2 && !rows ? TorchLayout::kMatrix : TorchLayout::kSame;
}

}  // namespace

TorchTensor torch_tensor(const std::string& name, const Shape& shape) {
  TorchTensor tensor{torch_name(name), extents(shape),
                     torch_layout(name, static_cast<std::size_t>(shape.rank()))};
  if (tensor.layout == TorchLayout::kKernel)
    tensor.shape = {shape[3], shape[2], shape[0], shape[1]};
  if (tensor.layout == TorchLayout::kMatrix) tensor.shape = {shape[1], shape[0]};
  return tensor;
}

Shape shape_from_torch(const std::string& name, const std::vector<Index>& shape) {
  SACCADE_CHECK(shape.size() <= Shape::kMaxRank,
                "[shape_from_torch] too many extents: ", shape_text(shape));
  switch (torch_layout(name, shape.size())) {
    case TorchLayout::kKernel:
      return {shape[2], shape[3], shape[1], shape[0]};
    case TorchLayout::kMatrix:
      return {shape[1], shape[0]};
    case TorchLayout::kSame:
      break;
  }
  return Shape::of(shape.data(), static_cast<int>(shape.size()));
}

inline namespace SACCADE_NUMERIC {

namespace {

// body(place in our layout, place in torch's) for every number.
template <class Body>
void for_places(TorchLayout layout, const Shape& ours, Body body) {
  if (layout == TorchLayout::kSame) {
    for (Index i = 0; i < ours.size(); ++i) body(i, i);
    return;
  }
  const bool kernel = layout == TorchLayout::kKernel;
  SACCADE_ASSERT(ours.rank() == (kernel ? 4 : 2), "torch layout of a parameter ", ours);
  // A kernel is a matrix [in, out] for each of its positions.
  const Index positions = kernel ? ours[0] * ours[1] : 1, in = ours[-2], out = ours[-1];
  for (Index p = 0; p < positions; ++p)
    for (Index i = 0; i < in; ++i)
      for (Index o = 0; o < out; ++o) body((p * in + i) * out + o, (o * in + i) * positions + p);
}

std::vector<Real> numbers(const SafetensorsFile& file, const SafetensorsEntry& entry) {
#ifdef SACCADE_DOUBLE
  std::vector<Real> values = file.doubles(entry);
#else
  std::vector<Real> values = file.floats(entry);
#endif
  for (const Real value : values)
    if (!std::isfinite(value))
      throw DataError(file.source() + ": array " + safetensors_name_in_message(entry.name) +
                      " has a number that is not finite; these weights are damaged");
  return values;
}

struct Parameter {
  int index;
  TorchTensor tensor;
};

// The parameters below the scope, with what torch calls them.
std::vector<Parameter> parameters_of(const TorchWeights& weights, const ParameterStore& store) {
  const std::string prefix = weights.scope.empty() ? "" : weights.scope + ".";
  std::vector<Parameter> found;
  for (std::size_t p = 0; p < store.count(); ++p) {
    const ParameterInfo& info = store.info(static_cast<int>(p));
    if (!info.name.starts_with(prefix)) continue;
    found.push_back(
        {static_cast<int>(p), weights.names(info.name.substr(prefix.size()), info.shape)});
  }
  SACCADE_ASSERT(!found.empty(), "no parameter is below '", weights.scope, "'");
  return found;
}

bool ignored(const TorchWeights& weights, const std::string& name) {
  return name.ends_with("num_batches_tracked") ||
         std::any_of(weights.ignored.begin(), weights.ignored.end(),
                     [&](const std::string& start) { return name.starts_with(start); });
}

}  // namespace

std::string TorchWeightReport::text() const {
  const std::string all = list_text("missing", missing) + list_text("unexpected", unexpected) +
                          list_text("of another shape", misshaped);
  return all.empty() ? "" : all.substr(2);
}

std::vector<Real> to_torch(TorchLayout layout, ConstView ours) {
  std::vector<Real> theirs(static_cast<std::size_t>(ours.size()));
  for_places(layout, ours.shape,
             [&](Index our, Index their) { theirs[static_cast<std::size_t>(their)] = ours[our]; });
  return theirs;
}

void from_torch(TorchLayout layout, std::span<const Real> theirs, View ours) {
  SACCADE_ASSERT(theirs.size() == static_cast<std::size_t>(ours.size()), "torch weights of ",
                 theirs.size(), " numbers for ", ours.shape);
  for_places(layout, ours.shape,
             [&](Index our, Index their) { ours[our] = theirs[static_cast<std::size_t>(their)]; });
}

TorchWeightReport load_torch_weights(const SafetensorsFile& file, const TorchWeights& weights,
                                     ParameterStore& store) {
  struct Match {
    Parameter parameter;
    std::vector<Real> values;
  };
  TorchWeightReport report;
  std::vector<Match> matches;
  std::set<std::string> expected;
  for (Parameter& parameter : parameters_of(weights, store)) {
    const TorchTensor& tensor = parameter.tensor;
    expected.insert(tensor.name);
    const SafetensorsEntry* entry = file.find(tensor.name);
    if (!entry) {
      report.missing.push_back(tensor.name);
    } else if (entry->shape != tensor.shape) {
      report.misshaped.push_back(str(tensor.name, " is ", shape_text(entry->shape),
                                     " and should be ", shape_text(tensor.shape)));
    } else {
      matches.push_back({std::move(parameter), {}});
      matches.back().values = numbers(file, *entry);
    }
  }
  for (const SafetensorsEntry& entry : file.entries())
    if (!expected.contains(entry.name) && !ignored(weights, entry.name))
      report.unexpected.push_back(safetensors_name_in_message(entry.name));
  if (weights.strict && !report.complete())
    throw DataError(file.source() + ": these weights are of another network: " + report.text());
  for (const Match& match : matches)
    from_torch(match.parameter.tensor.layout, match.values, store.value(match.parameter.index));
  report.loaded = matches.size();
  return report;
}

void save_torch_weights(const std::filesystem::path& path, const TorchWeights& weights,
                        const ParameterStore& store,
                        const std::map<std::string, std::string>& metadata) {
  std::vector<std::vector<Real>> values;
  std::vector<SafetensorsArray> arrays;
  for (const Parameter& parameter : parameters_of(weights, store)) {
    values.push_back(to_torch(parameter.tensor.layout, store.value(parameter.index)));
    arrays.push_back({.name = parameter.tensor.name,
                      .type = sizeof(Real) == 8 ? "F64" : "F32",
                      .shape = parameter.tensor.shape,
                      .bytes = std::as_bytes(std::span(values.back()))});
  }
  save_safetensors(path, std::move(arrays), metadata);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
