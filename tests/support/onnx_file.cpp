#include "tests/support/onnx_file.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <fstream>

#include "core/base/random.h"

namespace saccade::test {

struct OnnxFile::Impl {
  onnx::ModelProto model;
  std::uint64_t tensors = 0;
  onnx::GraphProto& graph() { return *model.mutable_graph(); }
};

namespace {

void describe(onnx::ValueInfoProto& value, const std::string& name,
              const std::vector<Index>& shape) {
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  onnx::TensorShapeProto& extents = *type.mutable_shape();  // OpenCV needs one, even without axes
  for (const Index extent : shape) extents.add_dim()->set_dim_value(extent);
}

void set(onnx::AttributeProto& attribute, const OnnxValue& value) {
  if (const auto* i = std::get_if<Index>(&value)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(*i);
  } else if (const auto* f = std::get_if<double>(&value)) {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(*f));
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(*s);
  } else {
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const Index each : std::get<std::vector<Index>>(value)) attribute.add_ints(each);
  }
}

}  // namespace

OnnxFile::OnnxFile(Index height, Index width) : impl_(std::make_unique<Impl>()) {
  impl_->model.set_ir_version(4);
  impl_->model.add_opset_import()->set_version(9);
  impl_->graph().set_name("test");
  describe(*impl_->graph().add_input(), "image", {1, 3, height, width});
}

OnnxFile::~OnnxFile() = default;

std::string OnnxFile::tensor(const std::string& name, const std::vector<Index>& shape,
                             Range range) {
  onnx::TensorProto& tensor = *impl_->graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  Index count = 1;
  for (const Index extent : shape) tensor.add_dims(extent), count *= extent;
  Random random({impl_->tensors++, Stream::kTest, 0, 0});
  for (Index i = 0; i < count; ++i)
    tensor.add_float_data(
        static_cast<float>(range.low + (range.high - range.low) * random.uniform()));
  return name;
}

std::string OnnxFile::integers(const std::string& name, const std::vector<Index>& values) {
  onnx::TensorProto& tensor = *impl_->graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<Index>(values.size()));
  for (const Index value : values) tensor.add_int64_data(value);
  return name;
}

std::string OnnxFile::node(const std::string& op, const std::string& name,
                           const std::vector<std::string>& inputs,
                           const OnnxAttributes& attributes) {
  onnx::NodeProto& node = *impl_->graph().add_node();
  node.set_op_type(op);
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(name + "_out");
  for (const auto& [key, value] : attributes) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(key);
    set(attribute, value);
  }
  return name + "_out";
}

std::string OnnxFile::conv(const std::string& name, const std::string& input,
                           const std::vector<Index>& weights, const OnnxAttributes& attributes) {
  // Uniform with the variance of He et al. 2015.
  const double bound = std::sqrt(6 / static_cast<double>(weights[1] * weights[2] * weights[3]));
  OnnxAttributes all = attributes;
  all["kernel_shape"] = std::vector<Index>{weights[2], weights[3]};
  return node("Conv", name,
              {input, tensor(name + "_weight", weights, {-bound, bound}),
               tensor(name + "_bias", {weights[0]}, {-0.1, 0.1})},
              all);
}

std::string OnnxFile::batch_norm(const std::string& name, const std::string& input, Index channels,
                                 Range scale) {
  const std::vector<Index> shape{channels};
  return node(
      "BatchNormalization", name,
      {input, tensor(name + "_scale", shape, scale), tensor(name + "_shift", shape, {-0.5, 0.5}),
       tensor(name + "_mean", shape, {-0.5, 0.5}), tensor(name + "_variance", shape, {0.5, 2})},
      {{"epsilon", 1e-3}});
}

void OnnxFile::save(const std::filesystem::path& path, const std::string& output) const {
  onnx::ModelProto model = impl_->model;
  describe(*model.mutable_graph()->add_output(), output, {});
  std::ofstream out(path, std::ios::binary);
  model.SerializeToOstream(&out);
}

void save_small_onnx(const std::filesystem::path& path, Index classes) {
  const std::vector<Index> two{2, 2}, same{1, 1, 1, 1};
  OnnxFile file(32, 32);
  const OnnxAttributes half{{"strides", two}, {"pads", std::vector<Index>{0, 0, 1, 1}}};
  std::string x = file.conv("first", "image", {8, 3, 3, 3}, half);
  x = file.node("Relu", "first_relu", {file.batch_norm("first_norm", x, 8, {0.5, 1.5})});
  x = file.node("Relu", "second_relu", {file.conv("second", x, {12, 8, 3, 3}, half)});
  const std::string branch =
      file.conv("depthwise", x, {12, 1, 3, 3}, {{"group", Index{12}}, {"pads", same}});
  x = file.node("Add", "sum", {x, branch});
  x = file.node("Relu", "last", {file.conv("third", x, {16, 12, 3, 3}, half)});
  if (classes > 0) {
    x = file.node("Flatten", "flat", {file.node("GlobalAveragePool", "pool", {x})});
    x = file.node(
        "Gemm", "logits",
        {x, file.tensor("classes", {classes, 16}, {}), file.tensor("bias", {classes}, {})},
        {{"transB", Index{1}}});
  }
  file.save(path, x);
}

}  // namespace saccade::test
