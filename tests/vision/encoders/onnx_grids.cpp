#include "tests/vision/encoders/onnx_grids.h"

#include <array>
#include <opencv2/dnn.hpp>

namespace saccade::test {

std::vector<float> by_opencv(const std::filesystem::path& file, const std::string& node,
                             const Image& input) {
  cv::dnn::Net net = cv::dnn::readNetFromONNX(file.string());
  std::string layer;
  // OpenCV puts "onnx_node!" before the names of nodes. Outputs of the model come last.
  for (const std::string& name : net.getLayerNames())
    if (name == node || name.ends_with("!" + node)) layer = name;
  REQUIRE_FALSE(layer.empty());
  const Normalization pixels;
  const std::array<int, 4> extents{1, 3, static_cast<int>(input.height),
                                   static_cast<int>(input.width)};
  cv::Mat planes(4, extents.data(), CV_32F);
  float* to = planes.ptr<float>();
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = c; i < input.rgb.size(); i += 3)
      *to++ = (static_cast<float>(input.rgb[i]) - pixels.mean[c]) * pixels.scale[c];
  net.setInput(planes);
  const cv::Mat output = net.forward(layer);
  REQUIRE((output.dims == 4 || output.dims == 2));
  const int features = output.size[1];
  const std::size_t cells = output.total() / static_cast<std::size_t>(features);
  std::vector<float> grid;
  for (std::size_t cell = 0; cell < cells; ++cell)
    for (std::size_t d = 0; d < static_cast<std::size_t>(features); ++d)
      grid.push_back(output.ptr<float>()[d * cells + cell]);
  return grid;
}

}  // namespace saccade::test
