// An ONNX file as bytes: with all of its weights, or the part of it that others may see.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// Reads the file, and the files beside it in which it keeps weights (take_outside_weights).
// Throws DataError where one is missing, damaged or not a model.
std::vector<std::uint8_t> read_model_bytes(const std::filesystem::path& file);

// The side of the square pictures that the file says the network takes; 0 where it leaves their
// size open or says something else. Throws as read_model_bytes().
Index stated_picture_side(const std::filesystem::path& file);

struct ModelNode {
  std::string name, type;          // `type` is the operator
  std::vector<std::size_t> reads;  // the nodes whose outputs it reads
  std::string refusal{};           // why it, or a node that leads to it, cannot be run; "": it can
};

// The nodes of a model, with what the checks of check_nodes.h say of them.
class ModelParts {
 public:
  // Of the nodes that lead to the layers, or of all. Throws DataError where the bytes are no model
  // or lack a layer.
  ModelParts(std::span<const std::uint8_t> model, const std::string& file,
             std::span<const std::string> layers);
  ModelParts(std::span<const std::uint8_t> model, const std::string& file);
  ~ModelParts();

  // In the order of the file.
  std::span<const ModelNode> nodes() const;
  // The outputs of the model that have another name than the node that computes them, with the
  // place of that node.
  std::vector<std::pair<std::string, std::size_t>> outputs() const;
  // A model of some of the nodes alone, which must include all that they read.
  std::vector<std::uint8_t> bytes(const std::vector<bool>& wanted) const;
  // Of all nodes. Throws DataError, the first refusal, where one cannot be run.
  std::vector<std::uint8_t> bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Identifies what the model computes up to the layers: equal for equal networks, whatever else
// their files say.
std::string content_digest(std::span<const std::uint8_t> model, const std::string& file,
                           std::span<const std::string> layers);

}  // namespace saccade
