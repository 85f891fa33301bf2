#include "vision/encoders/onnx/read_tensors.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "vision/encoders/onnx/check_nodes.h"
#include "vision/encoders/onnx/onnx_model.h"
#include "vision/encoders/onnx/tensor_reader.h"

namespace saccade {

using onnx_file::attribute;
using onnx_file::axis_in;
using onnx_file::ConstantArray;
using onnx_file::integer;
using onnx_file::listed;
using onnx_file::Node;
using onnx_file::real_number;

namespace {

// What an operator without further numbers computes of single ones.
std::optional<TensorOp> single_step(const std::string& op) {
  constexpr std::pair<const char*, TensorOp> kSteps[] = {{"Relu", TensorOp::kRelu},
                                                         {"Sigmoid", TensorOp::kSigmoid},
                                                         {"Tanh", TensorOp::kTanh},
                                                         {"Exp", TensorOp::kExp},
                                                         {"Erf", TensorOp::kErf},
                                                         {"Sqrt", TensorOp::kSqrt},
                                                         {"Reciprocal", TensorOp::kReciprocal},
                                                         {"HardSwish", TensorOp::kHardSwish}};
  for (const auto& [name, step] : kSteps)
    if (op == name) return step;
  return std::nullopt;
}

}  // namespace

TensorReader::TensorReader(const onnx::ModelProto& model, const std::string& file,
                           const ImageSize& input)
    : file_(file),
      graph_(model.graph()),
      arrays_(onnx_file::constants_of(graph_)),
      makers_(std::make_unique<onnx_file::Makers>(graph_, file_)),
      builder_(input.height, input.width) {
  for (const Node& node : graph_.node())
    for (const std::string& name : node.input()) ++readers_[name];
  for (const onnx::ValueInfoProto& output : graph_.output()) ++readers_[output.name()];
}

TensorReader::~TensorReader() = default;

TensorModel TensorReader::read(std::span<const std::string> layers) {
  std::vector<std::string> wanted;
  for (const std::string& layer : layers) wanted.push_back(makers_->tensor_of(layer));
  for (const std::string& name : wanted) ++readers_[name];
  const std::set<const Node*> nodes = makers_->needed(wanted);
  values_.emplace(onnx_file::image_of(graph_, nodes, file_), builder_.picture());
  onnx_file::check_nodes(graph_, nodes, file_);
  for (const Node& node : graph_.node())
    if (nodes.contains(&node) && node.op_type() != "Constant") read(node);
  std::vector<TensorValue> results;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found = values_.find(wanted[i]);
    if (found == values_.end() || found->second.id == 0)
      throw DataError(str(file_, ": nothing leads from the image to layer '", layers[i], "'"));
    if (!is_grid(found->second.extents))
      throw DataError(str(file_, ": layer '", layers[i],
                          "' is no grid [1, features, rows, columns]; choose one that is, or "
                          "export the network with such an output"));
    results.push_back(found->second);
  }
  return builder_.take(std::move(results));
}

std::vector<TensorNode> TensorReader::read_all() {
  std::vector<TensorNode> out;
  std::set<const Node*> all;
  for (const Node& node : graph_.node()) all.insert(&node);
  values_.emplace(onnx_file::image_of(graph_, all, file_), builder_.picture());
  const onnx_file::NodeCheck check = onnx_file::number_check(graph_, file_);
  for (const Node& node : graph_.node()) {
    try {
      check(node);
      if (node.op_type() != "Constant") read(node);
    } catch (const DataError&) {
      continue;  // what it leads to cannot be computed either
    }
    if (const auto found = values_.find(node.output(0));
        found != values_.end() && is_grid(found->second.extents))
      out.push_back({onnx_file::shown(node), found->second.extents});
  }
  return out;
}

bool TensorReader::is_grid(const Extents& extents) {
  return extents.size() == 4 && extents[0] == 1;
}

void TensorReader::refuse(const Node& node, const std::string& why) const {
  onnx_file::refuse_node(file_, node, why + "; choose a layer before it");
}

void TensorReader::read(const Node& node) {
  try {
    builder_.name_arrays(onnx_file::shown(node));
    translate(node);
  } catch (const DataError& error) {
    const std::string what = error.what();
    if (what.starts_with(file_)) throw;
    refuse(node, what);
  }
}

const ConstantArray* TensorReader::constant(const Node& node, int input) {
  if (input >= node.input_size() || node.input(input).empty()) return nullptr;
  const std::string& name = node.input(input);
  if (const auto found = folded_.find(name); found != folded_.end()) return &found->second;
  const auto stored = arrays_.find(name);
  if (stored == arrays_.end()) return nullptr;
  return &folded_
              .emplace(name,
                       onnx_file::constant_of(*stored->second, str(file_, ": array '", name, "'")))
              .first->second;
}

const ConstantArray& TensorReader::needed_constant(const Node& node, int input) {
  if (const ConstantArray* found = constant(node, input)) return *found;
  refuse(node, "has numbers that are computed of the picture");
}

std::vector<const ConstantArray*> TensorReader::constants(const Node& node) {
  std::vector<const ConstantArray*> out;
  for (int i = 0; i < node.input_size(); ++i) out.push_back(constant(node, i));
  return out;
}

TensorValue TensorReader::value(const Node& node, int input) {
  if (input < node.input_size()) {
    const auto found = values_.find(node.input(input));
    if (found != values_.end()) {
      TensorValue out = found->second;
      out.shared = readers_[node.input(input)] > 1;
      return out;
    }
    if (const ConstantArray* array = constant(node, input)) return builder_.constant(*array);
  }
  const bool other = input < node.input_size() &&
                     std::ranges::any_of(graph_.input(), [&](const onnx::ValueInfoProto& one) {
                       return one.name() == node.input(input);
                     });
  refuse(node,
         other ? str("reads '", node.input(input), "', an input of the network beside its image")
               : "reads what is not computed of the picture");
}

bool TensorReader::is_value(const Node& node, int input) const {
  return input < node.input_size() && values_.contains(node.input(input));
}

void TensorReader::set(const Node& node, TensorValue value) {
  value.shared = false;
  values_.insert_or_assign(node.output(0), std::move(value));
}

bool TensorReader::fold(const Node& node) {
  const std::string& op = node.op_type();
  if (op == "Shape" && is_value(node, 0)) {
    folded_.insert_or_assign(node.output(0), onnx_file::shape_array(node, value(node, 0).extents));
    return true;
  }
  // Masks are made for rows of which nothing is seen, as padding would be.
  if (op == "IsNaN" && is_value(node, 0)) {
    const Extents extents = value(node, 0).extents;
    folded_.insert_or_assign(node.output(0),
                             ConstantArray{.extents = extents,
                                           .values = std::vector<double>(
                                               static_cast<std::size_t>(numbers_in(extents)), 0.0),
                                           .whole = true});
    return true;
  }
  for (int i = 0; i < node.input_size(); ++i)
    if (!node.input(i).empty() && !constant(node, i)) return false;
  auto made = onnx_file::folded(node, constants(node));
  if (!made) return false;
  for (int i = 0; i < node.output_size() && i < std::ssize(*made); ++i)
    folded_.insert_or_assign(node.output(i), std::move((*made)[static_cast<std::size_t>(i)]));
  return true;
}

void TensorReader::translate(const Node& node) {
  if (node.output_size() == 0) refuse(node, "computes nothing");
  if (fold(node)) return;
  const std::string& op = node.op_type();
  if (const auto step = single_step(op)) return set(node, builder_.alike(*step, value(node, 0)));
  for (const Reader& one : readers())
    if (op == one.op) return (this->*one.read)(node);
  refuse(node, "is none that encoder.type onnx_native can train");
}

void TensorReader::read_same(const Node& node) { set(node, value(node, 0)); }

void TensorReader::read_shape(const Node& node) {
  const TensorValue x = value(node, 0);
  set(node, builder_.reshape(x, onnx_file::extents_after(node, x.extents, constant(node, 1))));
}

void TensorReader::read_transpose(const Node& node) {
  const TensorValue x = value(node, 0);
  set(node, builder_.transpose(x, onnx_file::axes_of_transpose(node, x.extents.size())));
}

void TensorReader::read_slice(const Node& node) {
  TensorValue x = value(node, 0);
  for (std::vector<Index>& cut : onnx_file::slices_of(node, x.extents, constants(node)))
    x = builder_.rearrange(TensorOp::kSlice, x, std::move(cut));
  set(node, x);
}

void TensorReader::read_split(const Node& node) {
  const TensorValue x = value(node, 0);
  const std::size_t axis = axis_in(integer(node, "axis", 0), x.extents.size());
  Index first = 0;
  int output = 0;
  for (const Index size : onnx_file::split_sizes(node, x.extents[axis], constant(node, 1))) {
    if (output >= node.output_size()) refuse(node, "has more parts than outputs");
    values_.insert_or_assign(
        node.output(output++),
        builder_.rearrange(TensorOp::kSlice, x, {static_cast<Index>(axis), first, size, 1}));
    first += size;
  }
}

void TensorReader::read_gather(const Node& node) {
  const TensorValue x = value(node, 0);
  const ConstantArray& places = needed_constant(node, 1);
  const std::size_t axis = axis_in(integer(node, "axis", 0), x.extents.size());
  std::vector<Index> numbers{static_cast<Index>(axis)};
  for (const double place : places.values)
    numbers.push_back(static_cast<Index>(place) + (place < 0 ? x.extents[axis] : 0));
  const TensorValue made = builder_.rearrange(TensorOp::kGather, x, std::move(numbers));
  Extents extents = x.extents;
  extents.erase(extents.begin() + static_cast<Index>(axis));
  extents.insert(extents.begin() + static_cast<Index>(axis), places.extents.begin(),
                 places.extents.end());
  set(node, builder_.reshape(made, std::move(extents)));
}

void TensorReader::read_concat(const Node& node) {
  std::vector<TensorValue> parts;
  if (node.input_size() == 0) onnx_file::misfit();
  for (int i = 0; i < node.input_size(); ++i) parts.push_back(value(node, i));
  const auto axis =
      static_cast<Index>(axis_in(integer(node, "axis", 0), parts.at(0).extents.size()));
  set(node, builder_.concat(std::move(parts), axis));
}

void TensorReader::read_expand(const Node& node) {
  const TensorValue x = value(node, 0);
  const auto to = listed(node, "shape", &needed_constant(node, 1));
  const Extents extents = onnx_file::common_extents(x.extents, *to);
  set(node, numbers_in(extents) == numbers_in(x.extents)
                ? builder_.reshape(x, extents)
                : builder_.rearrange(TensorOp::kExpand, x, extents));
}

void TensorReader::read_pad(const Node& node) {
  const TensorValue x = value(node, 0);
  const onnx::AttributeProto* mode = attribute(node, "mode");
  if (mode && mode->s() != "constant") refuse(node, "pads with something else than zeros");
  const ConstantArray* filler = constant(node, 2);
  if ((filler && !filler->values.empty() && filler->values[0] != 0) ||
      real_number(node, "value", 0) != 0)
    refuse(node, "pads with something else than zeros");
  auto pads = listed(node, "pads", constant(node, 1));
  if (const auto axes = listed(node, "axes", constant(node, 3)); axes && pads) {
    if (pads->size() != 2 * axes->size()) onnx_file::misfit();
    std::vector<Index> all(2 * x.extents.size(), 0);
    for (std::size_t i = 0; i < axes->size(); ++i)
      for (const std::size_t side : {0, 1})
        all.at(axis_in((*axes)[i], x.extents.size()) + side * x.extents.size()) =
            pads->at(i + side * axes->size());
    pads = all;
  }
  if (!pads) refuse(node, "does not say how many zeros it adds");
  if (std::ranges::all_of(*pads, [](Index pad) { return pad == 0; })) return set(node, x);
  set(node, builder_.rearrange(TensorOp::kPad, x, std::move(*pads)));
}

void TensorReader::read_where(const Node& node) {
  const ConstantArray& test = needed_constant(node, 0);
  const bool all = std::ranges::all_of(test.values, [](double v) { return v != 0; }),
             none = std::ranges::all_of(test.values, [](double v) { return v == 0; });
  const TensorValue x = value(node, 1), y = value(node, 2);
  const Extents extents =
      onnx_file::common_extents(test.extents, onnx_file::common_extents(x.extents, y.extents));
  const TensorValue& chosen = all ? x : y;
  if ((!all && !none) || chosen.extents != extents)
    refuse(node, "chooses number by number, which encoder.type onnx_native does not");
  set(node, chosen);
}

TensorModel read_tensors(const std::vector<std::uint8_t>& bytes, const std::string& file,
                         std::span<const std::string> layers, const ImageSize& input) {
  const onnx::ModelProto model = onnx_file::parse(bytes, file);
  return TensorReader(model, file, input).read(layers);
}

std::vector<TensorNode> tensor_layers(const std::vector<std::uint8_t>& bytes,
                                      const std::string& file, const ImageSize& input) {
  const onnx::ModelProto model = onnx_file::parse(bytes, file);
  return TensorReader(model, file, input).read_all();
}

}  // namespace saccade
