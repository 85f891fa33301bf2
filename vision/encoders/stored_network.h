// The network of a frozen encoder without the file that it came from, as a checkpoint holds it that
// is for captioning alone.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

class ImageClassifier;

struct StoredNetwork {
  // What the config does not say of it: the graph of onnx_native; "" for all others.
  std::string definition{};
  // The numbers of the network's arrays, one array after the other: of those that may be kept in 16
  // bits, and of those that keep 32 (keeps_32_bits() in core/io/half.h).
  std::vector<float> weights{}, vectors{};
  std::shared_ptr<const ImageClassifier> classifier{};  // null where it has none
  std::string digest{};  // of the encoder that is made of it; "" where nobody asked for it yet

  // Adds the numbers of an array.
  void add(std::span<const Index> shape, std::span<const float> numbers);
};

// Hands the numbers of a stored network out again, array by array.
class StoredNumbers {
 public:
  explicit StoredNumbers(const StoredNetwork& network)
      : weights_(network.weights), vectors_(network.vectors) {}
  // The next array of this shape. Throws DataError where there are not so many numbers.
  std::span<const float> take(std::span<const Index> shape);
  // Throws DataError unless all numbers were taken.
  void check_end() const;

 private:
  std::span<const float> weights_, vectors_;
};

}  // namespace saccade
