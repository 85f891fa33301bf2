#include "core/io/torch_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/io/safetensors_header.h"

namespace saccade {

namespace {

std::vector<Index> extents(const Shape& shape) {
  std::vector<Index> out;
  for (int a = 0; a < shape.rank(); ++a) out.push_back(shape[a]);
  return out;
}

std::string extents_text(const std::vector<Index>& shape) {
  std::string text = "[";
  for (const Index extent : shape) text += str(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

std::string list_text(const char* what, const std::vector<std::string>& names) {
  return names.empty() ? "" : str("; ", names.size(), " ", what, ": ", first_names(names));
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// In a normalisation, saccade's gain and shift are what torch calls weight and bias.
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
  const bool rows = last.ends_with("table") || last == "embedding";  // every entry is a row
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
                "[shape_from_torch] too many extents: ", extents_text(shape));
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

// Calls body(place in saccade's layout, place in torch's) for every element.
template <class Body>
void for_places(TorchLayout layout, const Shape& ours, Body body) {
  if (layout == TorchLayout::kSame) {
    for (Index i = 0; i < ours.size(); ++i) body(i, i);
    return;
  }
  const bool kernel = layout == TorchLayout::kKernel;
  SACCADE_ASSERT(ours.rank() == (kernel ? 4 : 2), "torch layout of a parameter ", ours);
  // A kernel consists of one matrix [in, out] for each of its positions.
  const Index positions = kernel ? ours[0] * ours[1] : 1, in = ours[-2], out = ours[-1];
  for (Index p = 0; p < positions; ++p)
    for (Index i = 0; i < in; ++i)
      for (Index o = 0; o < out; ++o) body((p * in + i) * out + o, (o * in + i) * positions + p);
}

std::vector<Real> numbers(const TensorFile& file, const SafetensorsEntry& entry) {
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

// Arrays of the file and the parameters that they hold: one of each, or a group of both.
struct Match {
  std::vector<int> parameters;
  TorchGroup group;
};

// A match of one parameter with one array.
TorchGroup single(const TorchTensor& tensor, const Shape& ours) {
  const TorchLayout layout = tensor.layout;
  TorchGroup group;
  group.arrays.push_back({tensor.name, tensor.shape});
  group.read = [layout, ours](std::span<const TorchArray> arrays) {
    Tensor values(ours);
    from_torch(layout, arrays[0].values, values.view());
    return std::vector<std::vector<Real>>{{values.span().begin(), values.span().end()}};
  };
  group.write = [layout](std::span<const ConstView> values) {
    return std::vector<std::vector<Real>>{to_torch(layout, values[0])};
  };
  return group;
}

// The parameters below the scope with their arrays in the file.
std::vector<Match> matches_of(const TorchWeights& weights, const ParameterStore& store) {
  const std::string prefix = weights.scope.empty() ? "" : weights.scope + ".";
  std::vector<Match> matches;
  std::set<std::string> grouped;
  for (const TorchGroup& group : weights.groups) {
    Match& match = matches.emplace_back(Match{{}, group});
    for (const std::string& name : group.parameters) {
      match.parameters.push_back(store.find(prefix + name));
      SACCADE_ASSERT(match.parameters.back() >= 0, "no parameter '", prefix, name, "'");
      grouped.insert(prefix + name);
    }
  }
  for (std::size_t p = 0; p < store.count(); ++p) {
    const ParameterInfo& info = store.info(static_cast<int>(p));
    if (!info.name.starts_with(prefix) || grouped.contains(info.name)) continue;
    matches.push_back(
        {{static_cast<int>(p)},
         single(weights.names(info.name.substr(prefix.size()), info.shape), info.shape)});
  }
  SACCADE_ASSERT(!matches.empty(), "no parameter is below '", weights.scope, "'");
  return matches;
}

// Gives a match's arrays the shapes that they have in the file. Returns whether it has all of them
// in shapes that can be read.
bool find_arrays(const TensorFile& file, TorchGroup& group, TorchWeightReport& report) {
  bool complete = true;
  for (TorchArray& array : group.arrays) {
    const SafetensorsEntry* entry = file.find(report.prefix + array.name);
    if (!entry) {
      const bool bare = !report.prefix.empty() && file.find(array.name) != nullptr;
      report.missing.push_back(
          array.name +
          (bare ? " (which is there without the prefix '" + report.prefix + "')" : ""));
      complete = false;
    } else if (entry->shape == array.shape ||
               (group.also_reads && group.also_reads({array.name, entry->shape}))) {
      array.shape = entry->shape;
    } else {
      report.misshaped.push_back(str(array.name, " is ", extents_text(entry->shape),
                                     " and should be ", extents_text(array.shape)));
      complete = false;
    }
  }
  return complete;
}

bool begins_with_any(const std::string& name, const std::vector<std::string>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const std::string& start) { return name.starts_with(start); });
}

bool ignored(const TorchWeights& weights, const std::string& name) {
  return name.ends_with("num_batches_tracked") || begins_with_any(name, weights.ignored);
}

std::set<std::string> parts_of(const std::set<std::string>& names) {
  std::set<std::string> parts;
  for (const std::string& name : names) parts.insert(part_of_network(name));
  parts.erase("");
  return parts;
}

// What stands before the names of a network in a file: parts that end in a dot, as DataParallel and
// programs for training write them.
struct Prefix {
  std::string text{};                  // "": the names are there as they are, or not at all
  std::vector<std::string> several{};  // prefixes behind which the network is equally often
};
Prefix prefix_of(const TensorFile& file, const std::set<std::string>& expected) {
  std::map<std::string, std::size_t> fitting;
  for (const SafetensorsEntry& entry : file.entries())
    for (std::size_t start = 0; start < entry.name.size();) {
      if (expected.contains(entry.name.substr(start))) {
        ++fitting[entry.name.substr(0, start)];
        break;
      }
      const std::size_t dot = entry.name.find('.', start);
      start = dot == std::string::npos ? dot : dot + 1;
    }
  std::size_t most = 0;
  for (const auto& [prefix, count] : fitting) most = std::max(most, count);
  Prefix out;
  for (const auto& [prefix, count] : fitting)
    if (count == most) out.several.push_back("'" + prefix + "'");
  // A few names, such as `norm.weight`, end like those of some part of the network.
  if (2 * most <= expected.size()) return {};
  if (out.several.size() > 1) return out;
  out.text = out.several[0].substr(1, out.several[0].size() - 2);
  out.several.clear();
  return out;
}

}  // namespace

std::string TorchWeightReport::text() const {
  const std::string all = list_text("missing", missing) + list_text("unexpected", unexpected) +
                          list_text("of another shape", misshaped);
  return all.empty() ? "" : all.substr(2);
}

std::string TorchWeightReport::prefix_text() const {
  return prefix.empty() ? "" : "the names in it begin with '" + prefix + "', which was left out";
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

TorchWeightReport load_torch_weights(const TensorFile& file, const TorchWeights& weights,
                                     ParameterStore& store) {
  TorchWeightReport report;
  std::vector<Match> complete;
  std::set<std::string> expected;
  std::vector<Match> matches = matches_of(weights, store);
  for (const Match& match : matches)
    for (const TorchArray& array : match.group.arrays) expected.insert(array.name);
  const Prefix prefix = prefix_of(file, expected);
  report.prefix = prefix.text;
  for (Match& match : matches)
    if (find_arrays(file, match.group, report)) complete.push_back(std::move(match));
  const std::set<std::string> parts = parts_of(expected);
  std::vector<std::string> changing;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (!entry.name.starts_with(report.prefix)) continue;
    const std::string name = entry.name.substr(report.prefix.size());
    if (expected.contains(name) || ignored(weights, name)) continue;
    report.unexpected.push_back(safetensors_name_in_message(entry.name));
    if (parts.contains(part_of_network(name)) || begins_with_any(name, weights.changing))
      changing.push_back(report.unexpected.back());
  }
  const bool fits = report.misshaped.empty() && !complete.empty();
  if (weights.strict ? !report.complete() : !fits)
    throw DataError(file.source() + ": these weights are of another network: " + report.text() +
                    (prefix.several.empty()
                         ? ""
                         : "; its names stand behind several prefixes, " +
                               first_names(prefix.several) + ": keep those of one of them"));
  if (!changing.empty())
    throw DataError(str(file.source(), ": these weights are of another network: with ",
                        first_names(changing),
                        " it computes something else, so that they cannot be left out"));
  // One match at a time, so that the file's numbers are never in memory beside all parameters.
  for (const Match& match : complete) {
    std::vector<TorchArray> arrays = match.group.arrays;
    for (TorchArray& array : arrays)
      array.values = numbers(file, *file.find(report.prefix + array.name));
    const std::vector<std::vector<Real>> values = match.group.read(arrays);
    for (std::size_t i = 0; i < match.parameters.size(); ++i)
      from_torch(TorchLayout::kSame, values[i], store.value(match.parameters[i]));
    report.loaded += match.parameters.size();
  }
  return report;
}

void save_torch_weights(const std::filesystem::path& path, const TorchWeights& weights,
                        const ParameterStore& store,
                        const std::map<std::string, std::string>& metadata) {
  std::vector<TorchArray> made;
  for (const Match& match : matches_of(weights, store)) {
    std::vector<ConstView> ours;
    for (const int p : match.parameters) ours.push_back(store.value(p));
    std::vector<std::vector<Real>> values = match.group.write(ours);
    for (std::size_t i = 0; i < values.size(); ++i)
      made.push_back(
          {match.group.arrays[i].name, match.group.arrays[i].shape, std::move(values[i])});
  }
  std::vector<SafetensorsArray> arrays;
  for (const TorchArray& array : made)
    arrays.push_back({.name = array.name,
                      .type = sizeof(Real) == 8 ? "F64" : "F32",
                      .shape = array.shape,
                      .bytes = std::as_bytes(std::span(array.values))});
  save_safetensors(path, std::move(arrays), metadata);
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
