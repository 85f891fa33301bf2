// Resize of constants: positions that were learned for another grid.
#include <algorithm>
#include <array>
#include <cmath>

#include "vision/encoders/onnx/fold_constants.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade::onnx_file {

namespace {

std::string text_of(const Node& node, const char* name, const char* otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found && !found->s().empty() ? found->s() : otherwise;
}

// Where cell `to` of an axis lies on the axis that it is made from.
double source_place(const std::string& rule, Index to, Index from_extent, Index to_extent,
                    double scale) {
  const auto place = static_cast<double>(to);
  if (rule == "align_corners")
    return to_extent == 1
               ? 0
               : place * static_cast<double>(from_extent - 1) / static_cast<double>(to_extent - 1);
  if (rule == "asymmetric") return place / scale;
  if (rule == "pytorch_half_pixel" && to_extent == 1) return 0;
  return (place + 0.5) / scale - 0.5;
}

// The weights of the cells first .. first + 3 around a place that lies `share` behind the second.
std::array<double, 4> cubic_weights(double share, double a) {
  const auto near = [&](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [&](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(1 + share), near(share), near(1 - share), far(2 - share)};
}

}  // namespace

ConstantArray resized(const Node& node, std::span<const ConstantArray* const> inputs) {
  const auto given = [&](std::size_t i) {
    return i < inputs.size() && inputs[i] && !inputs[i]->values.empty() ? inputs[i] : nullptr;
  };
  if (!given(0) || integer(node, "antialias", 0) != 0 || attribute(node, "axes")) misfit();
  ConstantArray array = *given(0);
  const ConstantArray *scales = given(2), *sizes = given(3);
  if ((!scales && !sizes) || (sizes ? sizes : scales)->values.size() != array.extents.size())
    misfit();
  const std::string mode = text_of(node, "mode", "nearest"),
                    rule = text_of(node, "coordinate_transformation_mode", "half_pixel");
  const bool cubic = mode == "cubic";
  if ((!cubic && mode != "linear") || integer(node, "exclude_outside", 0) != 0 ||
      rule == "tf_crop_and_resize" || rule == "half_pixel_symmetric")
    misfit();
  const double a = real_number(node, "cubic_coeff_a", -0.75);
  for (std::size_t axis = 0; axis < array.extents.size(); ++axis) {
    const Index from = array.extents[axis];
    const Index to =
        sizes ? static_cast<Index>(sizes->values[axis])
              : static_cast<Index>(std::floor(static_cast<double>(from) * scales->values[axis]));
    const double scale =
        sizes ? static_cast<double>(to) / static_cast<double>(from) : scales->values[axis];
    if (to < 1 || from < 1) misfit();
    if (to == from && scale == 1) continue;
    Extents extents = array.extents;
    extents[axis] = to;
    const Index inner =
        numbers_in(Extents(extents.begin() + static_cast<Index>(axis) + 1, extents.end()));
    std::vector<double> made(static_cast<std::size_t>(numbers_in(extents)), 0);
    const Index outer = static_cast<Index>(made.size()) / (to * inner);
    for (Index t = 0; t < to; ++t) {
      const double place = source_place(rule, t, from, to, scale), floor = std::floor(place),
                   share = place - floor;
      const std::array<double, 4> weights =
          cubic ? cubic_weights(share, a) : std::array<double, 4>{0, 1 - share, share, 0};
      for (Index tap = 0; tap < 4; ++tap) {
        const double weight = weights[static_cast<std::size_t>(tap)];
        if (weight == 0) continue;
        const Index cell = std::clamp(static_cast<Index>(floor) - 1 + tap, Index{0}, from - 1);
        for (Index o = 0; o < outer; ++o)
          for (Index i = 0; i < inner; ++i)
            made[static_cast<std::size_t>((o * to + t) * inner + i)] +=
                weight * array.values[static_cast<std::size_t>((o * from + cell) * inner + i)];
      }
    }
    array.values = std::move(made);
    array.extents = std::move(extents);
  }
  return array;
}

}  // namespace saccade::onnx_file
