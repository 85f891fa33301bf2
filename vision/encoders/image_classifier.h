// The classes that a network of convolutions was trained on: the linear layer behind the mean over
// the cells of its last layer. A checkpoint keeps it in 8 bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// A class of the network and its probability in a part of the picture.
struct SeenClass {
  int number = 0;
  float probability = 0;
  int window = 0;  // which part
};

class ImageClassifier {
 public:
  // weights [classes, features] in 32 bits, which are rounded to 8 for each class, and bias
  // [classes]. Throws DataError where they are not finite numbers, or not of these extents.
  ImageClassifier(Index features, std::span<const float> weights, std::vector<float> bias);
  // As they were stored: weight = scale of the class * row. Throws as above.
  ImageClassifier(Index features, std::vector<std::int8_t> rows, std::vector<float> scales,
                  std::vector<float> bias);

  Index classes() const { return static_cast<Index>(bias_.size()); }
  Index features() const { return features_; }
  std::span<const std::int8_t> rows() const { return rows_; }
  std::span<const float> scales() const { return scales_; }
  std::span<const float> bias() const { return bias_; }

  // The classes of a probability of at least kLeast in windows of the last layer's cells [rows,
  // cols, features], by window, then by number. A window has kShare of the rows and of the columns,
  // and there is one at every place: what fills a part of the picture is told more surely there
  // than among all cells.
  std::vector<SeenClass> classify(std::span<const float> cells, Index rows, Index cols) const;
  static constexpr float kLeast = 0.02F;
  static constexpr double kShare = 0.8;

 private:
  void check() const;

  Index features_;
  std::vector<std::int8_t> rows_;  // [classes, features]
  std::vector<float> scales_, bias_;
};

// The classifier of an ONNX file whose last operators are a mean over all cells of this layer and a
// linear layer. Null where the file ends in another way. Throws what read_onnx() throws.
std::shared_ptr<const ImageClassifier> read_classifier(const std::filesystem::path& file,
                                                       const std::string& layer);

}  // namespace saccade
