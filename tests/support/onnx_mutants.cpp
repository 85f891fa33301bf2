#include "tests/support/onnx_mutants.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>

namespace saccade::test {

namespace {

namespace fs = std::filesystem;

onnx::ModelProto read(const fs::path& path) {
  onnx::ModelProto model;
  std::ifstream in(path, std::ios::binary);
  model.ParseFromIstream(&in);
  return model;
}

void write(const onnx::ModelProto& model, const fs::path& path) {
  std::ofstream out(path, std::ios::binary);
  model.SerializeToOstream(&out);
}

void set_extents(onnx::ValueInfoProto& value, const std::vector<Index>& extents) {
  onnx::TensorShapeProto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.Clear();
  for (const Index extent : extents) shape.add_dim()->set_dim_value(extent);
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kIntegers[] = {0,         -1,        7,     4099,      std::int64_t{1} << 31,
                                      kHuge / 2, kHuge - 1, kHuge, -kHuge - 1};
constexpr float kFloats[] = {0, -1, 1e38F, INFINITY, -INFINITY, NAN};

class Mutants {
 public:
  explicit Mutants(onnx::ModelProto model) : model_(std::move(model)) {}

  std::vector<OnnxMutant> all() {
    for (int n = 0; n < graph().node_size(); ++n) {
      attributes(n);
      inputs(n);
      node(n);
    }
    for (int t = 0; t < graph().initializer_size(); ++t) array(t);
    for (const std::int64_t extent : kIntegers)
      for (int d = 0; d < graph().input(0).type().tensor_type().shape().dim_size(); ++d)
        make("extent of the image", [&](onnx::GraphProto& graph) {
          auto& type = *graph.mutable_input(0)->mutable_type()->mutable_tensor_type();
          type.mutable_shape()->mutable_dim(d)->set_dim_value(extent);
        });
    make("no image", [](onnx::GraphProto& graph) { graph.clear_input(); });
    make("two images", [](onnx::GraphProto& graph) {
      *graph.add_input() = graph.input(0);
      graph.mutable_input(1)->set_name("other");
    });
    return std::move(out_);
  }

 private:
  using Change = std::function<void(onnx::GraphProto&)>;
  const onnx::GraphProto& graph() const { return model_.graph(); }

  void make(const std::string& what, const Change& change) {
    onnx::ModelProto copy = model_;
    change(*copy.mutable_graph());
    out_.push_back({what, copy.SerializeAsString()});
  }

  void attributes(int n) {
    for (int a = 0; a < graph().node(n).attribute_size(); ++a) {
      const onnx::AttributeProto& attribute = graph().node(n).attribute(a);
      const std::string what = graph().node(n).name() + " " + attribute.name();
      const auto change = [&](const std::string& how,
                              const std::function<void(onnx::AttributeProto&)>& set) {
        make(what + how,
             [&](onnx::GraphProto& g) { set(*g.mutable_node(n)->mutable_attribute(a)); });
      };
      for (const std::int64_t value : kIntegers) {
        const std::string to = " = " + std::to_string(value);
        if (attribute.has_i()) change(to, [&](auto& own) { own.set_i(value); });
        for (int i = 0; i < attribute.ints_size(); ++i)
          change(to, [&](auto& own) { own.set_ints(i, value); });
      }
      for (const float value : kFloats)
        if (attribute.has_f())
          change(" = " + std::to_string(value), [&](auto& own) { own.set_f(value); });
      change(" has no value", [&](auto& own) {
        const std::string name = own.name();
        own.Clear();
        own.set_name(name);
      });
      change(" is a float", [](auto& own) { own.clear_i(), own.clear_ints(), own.set_f(0.5F); });
      change(" is a text", [](auto& own) { own.clear_i(), own.clear_ints(), own.set_s("x"); });
      change(" has a number more", [](auto& own) { own.add_ints(1); });
      make(what + " twice", [&](onnx::GraphProto& g) {
        *g.mutable_node(n)->add_attribute() = g.node(n).attribute(a);
      });
      make(what + " is gone", [&](onnx::GraphProto& g) {
        g.mutable_node(n)->mutable_attribute()->DeleteSubrange(a, 1);
      });
    }
  }

  void inputs(int n) {
    for (int i = 0; i < graph().node(n).input_size(); ++i) {
      const std::string what = graph().node(n).name() + " input " + std::to_string(i);
      for (const std::string& to : {std::string("nowhere"), std::string(), std::string("image"),
                                    graph().node(n).output(0), graph().initializer(0).name()})
        make(what + " is '" + to + "'",
             [&](onnx::GraphProto& g) { g.mutable_node(n)->set_input(i, to); });
      make(what + " is gone",
           [&](onnx::GraphProto& g) { g.mutable_node(n)->mutable_input()->DeleteSubrange(i, 1); });
    }
  }

  void node(int n) {
    const std::string name = graph().node(n).name();
    for (const char* op : {"Conv", "MaxPool", "BatchNormalization", "Gemm", "Concat", "Reshape",
                           "PRelu", "Upsample", "Pad", "LSTM", "If", "nothing"})
      make(name + " as " + op, [&](onnx::GraphProto& g) { g.mutable_node(n)->set_op_type(op); });
    make(name + " twice", [&](onnx::GraphProto& g) { *g.add_node() = g.node(n); });
    make(name + " is gone", [&](onnx::GraphProto& g) { g.mutable_node()->DeleteSubrange(n, 1); });
    make(name + " first", [&](onnx::GraphProto& g) { g.mutable_node()->SwapElements(0, n); });
    make(name + " without an output",
         [&](onnx::GraphProto& g) { g.mutable_node(n)->clear_output(); });
  }

  void array(int t) {
    const onnx::TensorProto& tensor = graph().initializer(t);
    const std::string what = "array " + tensor.name();
    const auto change = [&](const std::string& how,
                            const std::function<void(onnx::TensorProto&)>& set) {
      make(what + how, [&](onnx::GraphProto& g) { set(*g.mutable_initializer(t)); });
    };
    for (int d = 0; d < tensor.dims_size(); ++d)
      for (const std::int64_t extent : kIntegers)
        change(" extent " + std::to_string(extent), [&](auto& own) { own.set_dims(d, extent); });
    for (int i = 0; i < tensor.int64_data_size(); ++i)
      for (const std::int64_t value : kIntegers)
        change(" = " + std::to_string(value), [&](auto& own) { own.set_int64_data(i, value); });
    for (const float value : kFloats)
      if (tensor.float_data_size() > 0)
        change(" = " + std::to_string(value), [&](auto& own) { own.set_float_data(0, value); });
    // What is empty, and says so.
    const auto clear = [](auto& own) { own.clear_float_data(), own.clear_int64_data(); };
    change(" is empty", [&](auto& own) { own.set_dims(0, 0), clear(own); });
    change(" has no numbers", clear);
    change(" has no extents", [](auto& own) { own.clear_dims(); });
    change(" has an axis more", [](auto& own) { own.add_dims(1); });
    change(" is of integers", [](auto& own) { own.set_data_type(onnx::TensorProto::INT64); });
    change(" is of texts", [](auto& own) { own.set_data_type(onnx::TensorProto::STRING); });
    make(what + " is gone",
         [&](onnx::GraphProto& g) { g.mutable_initializer()->DeleteSubrange(t, 1); });
  }

  onnx::ModelProto model_;
  std::vector<OnnxMutant> out_;
};

}  // namespace

std::vector<OnnxMutant> onnx_mutants(const fs::path& valid) { return Mutants(read(valid)).all(); }

void move_weights_outside(const fs::path& model, const std::string& location, int inside) {
  onnx::ModelProto changed = read(model);
  fs::create_directories((model.parent_path() / location).parent_path());
  std::ofstream out(model.parent_path() / location, std::ios::binary);
  std::size_t offset = 0;
  for (int t = inside; t < changed.graph().initializer_size(); ++t) {
    onnx::TensorProto& tensor = *changed.mutable_graph()->mutable_initializer(t);
    const std::vector<float> numbers(tensor.float_data().begin(), tensor.float_data().end());
    const std::size_t bytes = numbers.size() * sizeof(float);
    out.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(bytes));
    tensor.clear_float_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&](const char* key, const std::string& value) {
      onnx::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", location);
    add("offset", std::to_string(offset));
    add("length", std::to_string(bytes));
    offset += bytes;
  }
  out.close();
  write(changed, model);
}

void set_image(const fs::path& model, const std::vector<Index>& extents) {
  onnx::ModelProto changed = read(model);
  set_extents(*changed.mutable_graph()->mutable_input(0), extents);
  write(changed, model);
}

void forget_extents(const fs::path& model) {
  onnx::ModelProto changed = read(model);
  for (auto* values :
       {changed.mutable_graph()->mutable_input(), changed.mutable_graph()->mutable_output()})
    for (onnx::ValueInfoProto& value : *values)
      value.mutable_type()->mutable_tensor_type()->clear_shape();
  write(changed, model);
}

void add_input(const fs::path& model, const std::string& name, const std::vector<Index>& extents) {
  onnx::ModelProto changed = read(model);
  onnx::ValueInfoProto& input = *changed.mutable_graph()->add_input();
  input.set_name(name);
  input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  set_extents(input, extents);
  write(changed, model);
}

void set_outside(const fs::path& model, const std::string& key, const std::string& value) {
  onnx::ModelProto changed = read(model);
  for (onnx::TensorProto& tensor : *changed.mutable_graph()->mutable_initializer())
    for (onnx::StringStringEntryProto& entry : *tensor.mutable_external_data())
      if (entry.key() == key) entry.set_value(value);
  write(changed, model);
}

}  // namespace saccade::test
