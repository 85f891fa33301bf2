#include "vision/encoders/onnx/tensor_graph.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/base/shallow_json.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kMostNumbers = Index{1} << 26;  // of an array

[[noreturn]] void refuse_tensors() {
  throw DataError("the stored graph of the ONNX network is damaged");
}
void require_fit(bool fits) {
  if (!fits) throw DataError("extents and numbers of a rearrangement do not fit");
}

// How far apart neighbours along each axis lie.
Extents strides_of(const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (std::size_t a = extents.size(); a-- > 1;) strides[a - 1] = strides[a] * extents[a];
  return strides;
}

// Calls each(place of every axis) for all places, the last axis first.
template <class Each>
void for_places(const Extents& extents, Each each) {
  Extents place(extents.size(), 0);
  for (Index left = numbers_in(extents); left > 0; --left) {
    each(place);
    for (std::size_t a = extents.size(); a-- > 0;) {
      if (++place[a] < extents[a]) break;
      place[a] = 0;
    }
  }
}

// The numbers of an input for a result of these extents: at(axis, place) is the place on that axis
// of the input, -1 where there is none.
template <class At>
std::vector<int> places_of(const Extents& input, const Extents& result, At at) {
  const Extents strides = strides_of(input);
  std::vector<int> from;
  from.reserve(static_cast<std::size_t>(numbers_in(result)));
  for_places(result, [&](const Extents& place) {
    Index number = 0;
    for (std::size_t a = 0; a < input.size() && number >= 0; ++a) {
      const Index own = at(a, place);
      number = own < 0 ? -1 : number + own * strides[a];
    }
    from.push_back(static_cast<int>(number));
  });
  return from;
}

std::size_t axis_of(std::span<const Index> numbers, const Extents& extents) {
  require_fit(!numbers.empty() && numbers[0] >= 0 && numbers[0] < std::ssize(extents));
  return static_cast<std::size_t>(numbers[0]);
}

Rearrangement concatenated(std::span<const Extents> inputs, std::size_t axis) {
  Rearrangement out{.extents = inputs[0], .from = {}};
  out.extents[axis] = 0;
  for (const Extents& one : inputs) {
    require_fit(one.size() == out.extents.size());
    for (std::size_t a = 0; a < one.size(); ++a) require_fit(a == axis || one[a] == out.extents[a]);
    out.extents[axis] += one[axis];
  }
  const Index outer =
      numbers_in(Extents(out.extents.begin(), out.extents.begin() + static_cast<Index>(axis)));
  numbers_in(out.extents);
  for (Index o = 0; o < outer; ++o) {
    Index first = 0;
    for (const Extents& one : inputs) {
      const Index each = numbers_in(one) / outer;
      for (Index i = 0; i < each; ++i) out.from.push_back(static_cast<int>(first + o * each + i));
      first += outer * each;
    }
  }
  return out;
}

}  // namespace

Index numbers_in(const Extents& extents) {
  Index count = 1;
  for (const Index extent : extents) {
    if (extent < 0 || (extent > 0 && count > kMostNumbers / extent))
      throw DataError("an array of a network has more numbers than a picture may need");
    count *= extent;
  }
  return count;
}

bool is_rearrangement(TensorOp op) { return op <= TensorOp::kExpand; }

Rearrangement rearrangement_of(TensorOp op, std::span<const Extents> inputs,
                               std::span<const Index> numbers) {
  require_fit(!inputs.empty());
  const Extents& x = inputs[0];
  Rearrangement out{.extents = x, .from = {}};
  switch (op) {
    case TensorOp::kConcat:
      return concatenated(inputs, axis_of(numbers, x));
    case TensorOp::kTranspose: {
      require_fit(numbers.size() == x.size());
      std::vector<std::size_t> to(x.size(), x.size());  // the axis of the result for each
      for (std::size_t a = 0; a < x.size(); ++a) {
        require_fit(numbers[a] >= 0 && numbers[a] < std::ssize(x));
        to[static_cast<std::size_t>(numbers[a])] = a;
        out.extents[a] = x[static_cast<std::size_t>(numbers[a])];
      }
      require_fit(std::ranges::find(to, x.size()) == to.end());
      out.from = places_of(x, out.extents,
                           [&](std::size_t a, const Extents& place) { return place[to[a]]; });
      return out;
    }
    case TensorOp::kSlice: {
      const std::size_t axis = axis_of(numbers, x);
      require_fit(numbers.size() == 4);
      const Index first = numbers[1], count = numbers[2], step = numbers[3];
      const Index last = first + (count - 1) * step;
      require_fit(count >= 0 &&
                  (count == 0 || (first >= 0 && first < x[axis] && last >= 0 && last < x[axis])));
      out.extents[axis] = count;
      out.from = places_of(x, out.extents, [&](std::size_t a, const Extents& place) {
        return a == axis ? first + place[a] * step : place[a];
      });
      return out;
    }
    case TensorOp::kGather: {
      const std::size_t axis = axis_of(numbers, x);
      const std::span<const Index> places = numbers.subspan(1);
      for (const Index place : places) require_fit(place >= 0 && place < x[axis]);
      out.extents[axis] = std::ssize(places);
      out.from = places_of(x, out.extents, [&](std::size_t a, const Extents& place) {
        return a == axis ? places[static_cast<std::size_t>(place[a])] : place[a];
      });
      return out;
    }
    case TensorOp::kPad: {
      require_fit(numbers.size() == 2 * x.size());
      for (std::size_t a = 0; a < x.size(); ++a) {
        require_fit(numbers[a] >= 0 && numbers[a + x.size()] >= 0);
        out.extents[a] += numbers[a] + numbers[a + x.size()];
      }
      out.from = places_of(x, out.extents, [&](std::size_t a, const Extents& place) {
        const Index own = place[a] - numbers[a];
        return own < x[a] ? own : -1;
      });
      return out;
    }
    case TensorOp::kExpand: {
      require_fit(numbers.size() >= x.size());
      out.extents.assign(numbers.begin(), numbers.end());
      const std::size_t more = out.extents.size() - x.size();
      for (std::size_t a = 0; a < x.size(); ++a)
        require_fit(x[a] == out.extents[a + more] || x[a] == 1);
      out.from = places_of(x, out.extents, [&](std::size_t a, const Extents& place) {
        return x[a] == 1 ? 0 : place[a + more];
      });
      return out;
    }
    default:
      break;
  }
  throw InternalError("no rearrangement");
}

std::string tensor_graph_text(const TensorGraph& graph) {
  Json steps = Json::array();
  for (const TensorStep& step : graph.steps) {
    Json json{{"op", enum_name(step.op)}, {"inputs", step.inputs}, {"extents", step.extents}};
    if (!step.numbers.empty()) json["numbers"] = step.numbers;
    if (!step.factors.empty()) json["factors"] = step.factors;
    if (!step.arrays.empty()) {
      json["name"] = step.name;
      json["arrays"] = step.arrays;
    }
    if (step.fixed) json["fixed"] = true;
    steps.push_back(std::move(json));
  }
  return Json{{"pixels", graph.pixels}, {"outputs", graph.outputs}, {"steps", std::move(steps)}}
      .dump();
}

bool is_tensor_text(const std::string& text) { return text.starts_with("{\"pixels\""); }

TensorGraph tensor_graph_of_text(const std::string& text) {
  TensorGraph graph;
  try {
    const Json json = shallow_json(text);
    json.at("pixels").get_to(graph.pixels);
    json.at("outputs").get_to(graph.outputs);
    std::set<std::string> names;
    for (const Json& one : json.at("steps")) {
      TensorStep step;
      const auto op = enum_value<TensorOp>(one.at("op").get<std::string>());
      if (!op) refuse_tensors();
      step.op = *op;
      one.at("inputs").get_to(step.inputs);
      one.at("extents").get_to(step.extents);
      if (one.contains("numbers")) one["numbers"].get_to(step.numbers);
      if (one.contains("factors")) one["factors"].get_to(step.factors);
      if (one.contains("arrays")) {
        one["arrays"].get_to(step.arrays);
        one.at("name").get_to(step.name);
        if (step.name.empty() || !names.insert(step.name).second) refuse_tensors();
      }
      step.fixed = one.value("fixed", false);
      for (const int input : step.inputs)
        if (input < 0 || input > std::ssize(graph.steps)) refuse_tensors();
      for (const double factor : step.factors)
        if (!std::isfinite(factor)) refuse_tensors();
      graph.steps.push_back(std::move(step));
    }
  } catch (const Json::exception&) {
    refuse_tensors();
  }
  if (graph.outputs.empty() || graph.pixels.size() != 3 || graph.pixels[2] != 3) refuse_tensors();
  for (const int output : graph.outputs)
    if (output < 1 || output > std::ssize(graph.steps)) refuse_tensors();
  return graph;
}

}  // namespace saccade
