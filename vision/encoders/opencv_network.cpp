#include "vision/encoders/opencv_network.h"

#include <array>
#include <map>
#include <new>
#include <opencv2/dnn.hpp>

#include "core/base/error.h"
#include "vision/encoders/network_cost.h"
#include "vision/images/mat_view.h"
#include "vision/images/opencv_loops.h"

namespace saccade {

namespace {

void rethrow_memory(const cv::Exception& error) {
  if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
}

// The width of the blob is the length of an image row: NCHW, one plane per colour.
cv::Mat to_blob(const Image& image, const Normalization& normalization) {
  const std::array<int, 4> extents{1, 3, static_cast<int>(image.height),
                                   static_cast<int>(image.width)};
  cv::Mat blob(4, extents.data(), CV_32F);
  const std::size_t pixels = image.rgb.size() / 3;
  float* out = blob.ptr<float>();
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < pixels; ++i)
      *out++ = (static_cast<float>(image.rgb[3 * i + c]) - normalization.mean[c]) *
               normalization.scale[c];
  return blob;
}

LayerOutput output_of(const cv::Mat& mat) {
  LayerOutput out;
  for (int i = 0; i < mat.dims; ++i) out.shape.push_back(mat.size[i]);
  if (mat.depth() == CV_32F) {
    const auto kept = std::make_shared<const cv::Mat>(mat);
    out.numbers = {kept, kept->ptr<float>()};
  }
  return out;
}

// Whether OpenCV can read them; `net` is then what it made.
bool read_network(const std::vector<std::uint8_t>& checked, cv::dnn::Net& net) {
  quiet_opencv();
  try {
    net = cv::dnn::readNetFromONNX(reinterpret_cast<const char*>(checked.data()), checked.size());
    return true;
  } catch (const cv::Exception& error) {  // its text describes OpenCV's internals
    rethrow_memory(error);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
  }
  return false;
}

}  // namespace

struct OpencvNetwork::Impl {
  cv::dnn::Net net;
};

OpencvNetwork::OpencvNetwork(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OpencvNetwork::OpencvNetwork(OpencvNetwork&&) noexcept = default;
OpencvNetwork& OpencvNetwork::operator=(OpencvNetwork&&) noexcept = default;
OpencvNetwork::~OpencvNetwork() = default;

std::optional<OpencvNetwork> OpencvNetwork::import(const std::vector<std::uint8_t>& checked) {
  auto impl = std::make_unique<Impl>();
  cv::dnn::Net& net = impl->net;
  if (!read_network(checked, net) || net.empty() || net.getLayerNames().empty())
    return std::nullopt;
  net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  return OpencvNetwork(std::move(impl));
}

std::vector<std::string> OpencvNetwork::layer_names() const { return impl_->net.getLayerNames(); }

std::vector<LayerOutput> OpencvNetwork::forward(const Image& image,
                                                const Normalization& normalization,
                                                const std::vector<std::string>& layers) {
  const SplitOpencvLoops split;
  std::vector<cv::Mat> outputs;
  try {
    impl_->net.setInput(to_blob(image, normalization));
    if (layers.size() == 1)
      outputs.push_back(impl_->net.forward(layers[0]));
    else
      impl_->net.forward(outputs, std::vector<cv::String>(layers.begin(), layers.end()));
  } catch (const cv::Exception& error) {
    rethrow_memory(error);
    throw OpencvFailure(error.what());
  }
  std::vector<LayerOutput> out;
  for (const cv::Mat& one : outputs) out.push_back(output_of(one));
  return out;
}

std::string opencv_version() { return CV_VERSION; }

bool read_by_opencv(const std::vector<std::uint8_t>& checked) {
  cv::dnn::Net net;
  return read_network(checked, net);
}

std::size_t first_failing(const ModelParts& parts, std::vector<bool> wanted,
                          const std::function<bool(const std::vector<std::uint8_t>&)>& works) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) order.push_back(i);
  SACCADE_ASSERT(!order.empty(), "no node of a network is wanted");
  // The first `good` nodes work, and the first `bad` do not.
  std::size_t good = 0, bad = order.size();
  while (good + 1 < bad) {
    const std::size_t middle = (good + bad) / 2;
    for (std::size_t k = 0; k < order.size(); ++k) wanted[order[k]] = k < middle;
    (works(parts.bytes(wanted)) ? good : bad) = middle;
  }
  return order[bad - 1];
}

std::string short_name(const std::string& layer) {
  // OpenCV puts "onnx_node!" or "onnx_node_output_0!" before the names of the file.
  const std::size_t mark = layer.find('!');
  return layer.starts_with("onnx_node") && mark != std::string::npos ? layer.substr(mark + 1)
                                                                     : layer;
}

std::optional<LayerShapes> OpencvNetwork::layer_shapes(const std::string& file, Index height,
                                                       Index width) const {
  const cv::dnn::Net& net = impl_->net;
  const std::vector<cv::dnn::MatShape> input{
      {1, 3, static_cast<int>(height), static_cast<int>(width)}};
  std::vector<int> ids;
  std::vector<std::vector<cv::dnn::MatShape>> inputs, outputs;
  LayerShapes layers;
  double products = 0;
  NetworkCost cost;
  try {
    net.getLayersShapes(input, ids, inputs, outputs);
  } catch (const cv::Exception& error) {  // another size than the network takes
    rethrow_memory(error);
    return std::nullopt;
  }
  std::map<int, std::string> names;
  for (const std::string& name : net.getLayerNames()) names[net.getLayerId(name)] = name;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto own = names.find(ids[i]);
    if (own == names.end()) continue;  // the input
    for (std::size_t k = 0; k < outputs[i].size(); ++k) {
      const std::vector<Index> shape(outputs[i][k].begin(), outputs[i][k].end());
      const std::string place = str(file, ": node '", short_name(own->second), "'");
      check_extents(place, shape);
      double numbers = 1;
      for (const Index extent : shape) numbers *= static_cast<double>(extent);
      cost.add(place, numbers, numbers);
      if (k > 0) continue;
      layers.names.push_back(own->second);
      layers.shapes.push_back(shape);
    }
  }
  try {
    products = static_cast<double>(net.getFLOPS(input)) / 2;
  } catch (const cv::Exception&) {  // of a layer that cannot count them
  }
  cost.add(file + ": its network", 0, products);
  return layers;
}

}  // namespace saccade
