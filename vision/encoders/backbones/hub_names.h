// The tensors of a published network by saccade's names, whoever named them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/tensor_files.h"

namespace saccade {

enum class HubFamily { kVit, kResnet, kConvnext, kInverted, kSwin };
enum class HubPackage { kTransformers, kTimm, kTorchvision, kOpenClip };

// One way to name the tensors of one family.
struct HubNaming {
  HubFamily family;
  HubPackage package;
  const char* what;  // for messages: `transformers: ViT, DeiT, DINOv2`
};

// A file of weights as one with other names: those of a network's parameters in the form of torch
// (core/io/torch_weights.h). Tensors of other parts of a model (a text encoder, a classifier) are
// left out; what belongs to the network and has no name here keeps its own, so that loading finds
// it. Rows of several tensors may be one here, as those of queries, keys and values.
class HubTensors final : public TensorFile {
 public:
  // Finds out whose names these are. Throws DataError, which says what is known of the file, where
  // they are nobody's, or where a network is in it several times.
  explicit HubTensors(std::unique_ptr<TensorFile> file);

  const HubNaming& naming() const { return naming_; }
  // What stands before the network's names in the file, with its dot.
  const std::string& prefix() const { return prefix_; }
  // Whether the file has a tensor of this name of its own, behind the prefix.
  bool has_original(const std::string& name) const;
  // The names that a tensor has in the file; those of its parts, in order.
  std::vector<std::string> originals(const std::string& name) const;
  // The tensor of this name. Throws DataError where there is none.
  const SafetensorsEntry& at(const std::string& name) const;
  // How many numbers from 0 on a pattern such as `blocks.#.norm1.weight` has tensors for.
  Index count(const std::string& pattern) const;
  // The numbers that block i had in the file: its stage and its place in it, or its place alone.
  const std::vector<std::vector<Index>>& blocks() const { return blocks_; }
  // The tensors of its parts that this network has not: with them it would compute something else.
  const std::vector<std::string>& foreign() const { return foreign_; }

  std::vector<float> floats(const SafetensorsEntry& entry) const override;
  std::vector<double> doubles(const SafetensorsEntry& entry) const override;

 private:
  template <class T, class Read>
  std::vector<T> joined(const SafetensorsEntry& entry, Read read) const;

  std::unique_ptr<TensorFile> file_;
  HubNaming naming_{};
  std::string prefix_;
  std::map<std::string, std::vector<const SafetensorsEntry*>> parts_;
  std::vector<std::vector<Index>> blocks_;
  std::vector<std::string> foreign_;
};

// Whether a file of weights has the names of a network that HubTensors knows.
bool is_hub_network(const TensorFile& file);

}  // namespace saccade
