#include "vision/encoders/onnx/store_onnx.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <cstring>

#include "core/base/error.h"
#include "vision/encoders/onnx/onnx_model.h"

namespace saccade {

namespace {

using onnx_file::Node;
using Protobuf = google::protobuf::TextFormat;

// protobuf would print what it finds wrong.
class Silence : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

// Calls visit(tensor) for every constant array of 32-bit floats.
template <class Visit>
void float_tensors(onnx::GraphProto& graph, Visit visit) {
  const auto offer = [&](onnx::TensorProto& tensor) {
    if (tensor.data_type() == onnx::TensorProto::FLOAT) visit(tensor);
  };
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) offer(tensor);
  for (Node& node : *graph.mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (node.op_type() == "Constant" && attribute.has_t()) offer(*attribute.mutable_t());
}

std::vector<Index> shape_of(const onnx::TensorProto& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

std::vector<float> numbers_of(const onnx::TensorProto& tensor) {
  if (!tensor.has_raw_data()) return {tensor.float_data().begin(), tensor.float_data().end()};
  std::vector<float> numbers(tensor.raw_data().size() / sizeof(float));
  std::memcpy(numbers.data(), tensor.raw_data().data(), numbers.size() * sizeof(float));
  return numbers;
}

}  // namespace

StoredNetwork store_onnx(std::span<const std::uint8_t> bytes, const std::string& file,
                         std::span<const std::string> layers) {
  onnx::ModelProto model = onnx_file::parse(bytes, file);
  model.DiscardUnknownFields();  // the text form could not be read back
  onnx_file::cut(*model.mutable_graph(), file, layers);
  StoredNetwork network;
  float_tensors(*model.mutable_graph(), [&](onnx::TensorProto& tensor) {
    const std::vector<float> numbers = numbers_of(tensor);
    const std::vector<Index> shape = shape_of(tensor);
    Index room = 1;
    bool fits = true;
    for (const Index extent : shape) fits = fits && !__builtin_mul_overflow(room, extent, &room);
    if (!fits || room != static_cast<Index>(numbers.size()))
      throw DataError(
          str(file, ": is damaged: the numbers of '", tensor.name(), "' do not fill its shape"));
    network.add(shape, numbers);
    tensor.clear_raw_data();
    tensor.clear_float_data();
  });
  if (!Protobuf::PrintToString(model, &network.definition))
    throw DataError(file + ": cannot be written as text");
  return network;
}

std::vector<std::uint8_t> onnx_of(const StoredNetwork& network, const std::string& name) {
  onnx::ModelProto model;
  Silence silence;
  Protobuf::Parser parser;
  parser.RecordErrorsTo(&silence);
  if (!parser.ParseFromString(network.definition, &model))
    throw DataError(name + ": the stored network of the encoder is damaged");
  try {
    StoredNumbers numbers(network);
    float_tensors(*model.mutable_graph(), [&](onnx::TensorProto& tensor) {
      const std::span<const float> own = numbers.take(shape_of(tensor));
      tensor.set_raw_data(own.data(), own.size_bytes());
    });
    numbers.check_end();
  } catch (const DataError& error) {
    throw DataError(str(name, ": ", error.what()));
  }
  return onnx_file::bytes_of(model, name);
}

}  // namespace saccade
