#include "vision/encoders/opencv_network.h"

#include <map>
#include <new>

#include "core/base/error.h"
#include "vision/encoders/network_cost.h"
#include "vision/images/mat_view.h"

namespace saccade {

namespace {

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

void rethrow_memory(const cv::Exception& error) {
  if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
}

std::optional<cv::dnn::Net> import_network(const std::vector<std::uint8_t>& checked) {
  cv::dnn::Net net;
  if (!read_network(checked, net) || net.empty() || net.getLayerNames().empty())
    return std::nullopt;
  net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  return net;
}

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

std::optional<LayerShapes> layer_shapes(const cv::dnn::Net& net, const std::string& file,
                                        Index height, Index width) {
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
