// What nodes say of extents and places, by attributes or by further inputs.
#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "vision/encoders/onnx/fold_constants.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade::onnx_file {

namespace {

using Arrays = std::span<const ConstantArray* const>;

const ConstantArray* input_of(Arrays inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i] : nullptr;
}

Extents reshaped(const Extents& from, const std::vector<Index>& to, bool zero_is_zero) {
  Extents out;
  Index known = 1;
  std::size_t open = to.size();
  for (std::size_t a = 0; a < to.size(); ++a) {
    Index extent = to[a];
    if (extent == 0 && !zero_is_zero) {
      if (a >= from.size()) misfit();
      extent = from[a];
    }
    if (extent == -1) {
      if (open != to.size()) misfit();
      open = a;
    } else {
      constexpr Index kMost = Index{1} << 30;
      if (extent < 0 || extent > kMost || (extent > 0 && known > kMost / extent)) misfit();
      known *= extent;
    }
    out.push_back(extent);
  }
  const Index all = numbers_in(from);
  if (open < to.size()) {
    if (known == 0 || all % known != 0) misfit();
    out[open] = all / known;
  }
  if (numbers_in(out) != all) misfit();
  return out;
}

}  // namespace

void misfit() { throw DataError("has numbers that do not fit each other"); }

std::vector<Index> whole_numbers(const ConstantArray& array) {
  std::vector<Index> out;
  constexpr double kMost = 9007199254740992.0;  // 2^53
  for (const double value : array.values)
    out.push_back(static_cast<Index>(std::clamp(value, -kMost, kMost)));
  return out;
}

std::optional<std::vector<Index>> listed(const Node& node, const char* name,
                                         const ConstantArray* input) {
  if (input) return whole_numbers(*input);
  if (attribute(node, name)) return integers(node, name, {});
  return std::nullopt;
}

std::size_t axis_in(Index axis, std::size_t rank) {
  const Index all = static_cast<Index>(rank);
  if (axis < 0) axis += all;
  if (axis < 0 || axis >= all) misfit();
  return static_cast<std::size_t>(axis);
}

std::vector<Index> split_sizes(const Node& node, Index extent, const ConstantArray* input) {
  if (auto given = listed(node, "split", input)) {
    if (std::accumulate(given->begin(), given->end(), Index{0}) != extent) misfit();
    return *given;
  }
  const Index parts = integer(node, "num_outputs", node.output_size());
  if (parts < 1) misfit();
  const Index each = (extent + parts - 1) / parts;
  std::vector<Index> sizes;
  for (Index left = extent; left > 0; left -= each) sizes.push_back(std::min(each, left));
  return sizes;
}

std::vector<std::vector<Index>> slices_of(const Node& node, const Extents& extents, Arrays inputs) {
  const auto starts = listed(node, "starts", input_of(inputs, 1)),
             ends = listed(node, "ends", input_of(inputs, 2));
  if (!starts || !ends || starts->size() != ends->size()) misfit();
  std::vector<Index> axes(starts->size()), steps(starts->size(), 1);
  std::iota(axes.begin(), axes.end(), Index{0});
  axes = listed(node, "axes", input_of(inputs, 3)).value_or(axes);
  steps = listed(node, "steps", input_of(inputs, 4)).value_or(steps);
  if (axes.size() != starts->size() || steps.size() != starts->size()) misfit();
  std::vector<std::vector<Index>> out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_in(axes[i], extents.size());
    const Index extent = extents[axis], step = steps[i];
    if (step == 0 || extent == 0) misfit();
    const auto place = [&](Index given, Index least, Index most) {
      return std::clamp(given < 0 ? given + extent : given, least, most);
    };
    const Index first =
                    step > 0 ? place((*starts)[i], 0, extent) : place((*starts)[i], 0, extent - 1),
                end = step > 0 ? place((*ends)[i], 0, extent) : place((*ends)[i], -1, extent - 1);
    const Index span = step > 0 ? end - first : first - end, each = std::abs(step);
    const Index count = span <= 0 ? 0 : (span + each - 1) / each;
    if (count == extent && step == 1) continue;
    out.push_back({static_cast<Index>(axis), first, count, step});
  }
  return out;
}

ConstantArray shape_array(const Node& node, const Extents& extents) {
  const Index rank = static_cast<Index>(extents.size());
  const auto place = [&](Index given) {
    return std::clamp(given < 0 ? given + rank : given, Index{0}, rank);
  };
  const Index first = place(integer(node, "start", 0)), end = place(integer(node, "end", rank));
  ConstantArray out{.extents = {std::max<Index>(end - first, 0)}, .values = {}, .whole = true};
  for (Index a = first; a < end; ++a)
    out.values.push_back(static_cast<double>(extents[static_cast<std::size_t>(a)]));
  return out;
}

Extents extents_after(const Node& node, const Extents& extents, const ConstantArray* input) {
  const std::string& op = node.op_type();
  if (op == "Reshape") {
    const auto to = listed(node, "shape", input);
    if (!to) misfit();
    return reshaped(extents, *to, integer(node, "allowzero", 0) != 0);
  }
  if (op == "Flatten") {
    const Index axis = integer(node, "axis", 1), rank = static_cast<Index>(extents.size());
    const Index cut = axis < 0 ? axis + rank : axis;
    if (cut < 0 || cut > rank) misfit();
    return {numbers_in(Extents(extents.begin(), extents.begin() + cut)),
            numbers_in(Extents(extents.begin() + cut, extents.end()))};
  }
  const auto axes = listed(node, "axes", input);
  if (op == "Squeeze") {
    std::vector<bool> gone(extents.size(), false);
    for (std::size_t a = 0; a < extents.size(); ++a) gone[a] = !axes && extents[a] == 1;
    for (const Index axis : axes.value_or(std::vector<Index>())) {
      const std::size_t a = axis_in(axis, extents.size());
      if (extents[a] != 1) misfit();
      gone[a] = true;
    }
    Extents out;
    for (std::size_t a = 0; a < extents.size(); ++a)
      if (!gone[a]) out.push_back(extents[a]);
    return out;
  }
  if (!axes) misfit();
  std::vector<bool> added(extents.size() + axes->size(), false);
  for (const Index axis : *axes) added[axis_in(axis, added.size())] = true;
  Extents out;
  std::size_t next = 0;
  for (const bool one : added) {
    if (!one && next >= extents.size()) misfit();
    out.push_back(one ? 1 : extents[next++]);
  }
  return out;
}

std::vector<Index> axes_of_transpose(const Node& node, std::size_t rank) {
  std::vector<Index> axes(rank);
  for (std::size_t a = 0; a < rank; ++a) axes[a] = static_cast<Index>(rank - 1 - a);
  return integers(node, "perm", axes);
}

}  // namespace saccade::onnx_file
