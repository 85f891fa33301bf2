// An ONNX file that is made node by node.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/real.h"

namespace saccade::test {

using OnnxValue = std::variant<Index, double, std::string, std::vector<Index>>;
using OnnxAttributes = std::map<std::string, OnnxValue>;

class OnnxFile {
 public:
  // The network takes images [1, 3, height, width] by the name `image`.
  OnnxFile(Index height, Index width);
  ~OnnxFile();

  // A tensor of random numbers from low to high. Returns its name, as all functions below do.
  struct Range {
    double low = -1, high = 1;
  };
  std::string tensor(const std::string& name, const std::vector<Index>& shape, Range range);
  // A list of 64-bit integers.
  std::string integers(const std::string& name, const std::vector<Index>& values);
  // The output of the node is named <name>_out.
  std::string node(const std::string& op, const std::string& name,
                   const std::vector<std::string>& inputs, const OnnxAttributes& attributes = {});
  // A convolution with weights [out, in / groups, kh, kw] and a bias.
  std::string conv(const std::string& name, const std::string& input,
                   const std::vector<Index>& weights, const OnnxAttributes& attributes = {});
  std::string batch_norm(const std::string& name, const std::string& input, Index channels,
                         Range scale);
  void save(const std::filesystem::path& path, const std::string& output) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes a residual network of a few thousand weights in three stages. Its node `last` has 16
// channels, and an eighth of the image's rows and columns. With `classes`, a classifier of so many
// follows.
void save_small_onnx(const std::filesystem::path& path, Index classes = 0);

}  // namespace saccade::test
