// A network of saccade whose pretrained weights stay as they are, so that its grids are computed
// once.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/messages.h"
#include "core/kernels/constant_weights.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/encoder.h"

namespace saccade {

// True where training leaves the whole encoder as it is: its weights then come from a file and are
// not part of the model.
bool is_frozen(const EncoderConfig& config);
// Throws DataError where the file that defines the network (encoder.model, or else encoder.weights)
// is needed and does not exist; `option` is what stands before the key on the command line.
void require_network_file(const EncoderConfig& config, const std::string& option = "");
// Whether encoder.positions are added to the network's own tokens rather than to the grid that it
// returns.
bool adds_positions_inside(const EncoderConfig& config);

class FrozenNetwork : public FrozenEncoder {
 public:
  // Loads config.weights, or the weights of config.model, or those of config.network, where that is
  // given; positions are added elsewhere. Throws UsageError where none is named, and whatever
  // make_encoder and load_torch_weights throw.
  // The listener receives the names of weights that were left out (encoder.weights_strict).
  FrozenNetwork(const EncoderConfig& config, ResizeMode resize, const Normalization& normalization,
                const MessageListener& listener = {});

  GridShape grid() const override { return network_->grid(); }
  PrepareOptions preparation() const override { return preparation_; }
  // Throws ShapeError when the image or `out` [regions, features] has the wrong size.
  void encode(const Image& network_image, const PictureArea& area,
              std::span<float> out) const override;
  const ImageClassifier* classifier() const override;
  std::vector<SeenClass> encode_and_classify(const Image& network_image, const PictureArea& area,
                                             std::span<float> out) const override;
  ReceptiveField receptive_field() const override { return network_->receptive_field(); }
  std::string digest() const override { return digest_; }
  StoredNetwork stored() const override;

 private:
  // Copies the numbers of a network that a checkpoint holds.
  void take(const StoredNetwork& network);
  void load_weights(const EncoderConfig& config, const MessageListener& listener);

  // Writes the grid; `seen`, if it is not null, becomes what the classifier sees.
  void run(const Image& network_image, const PictureArea& area, std::span<float> out,
           std::vector<SeenClass>* seen) const;

  ParameterStore parameters_;
  std::optional<ConstantWeights> weights_;
  std::unique_ptr<Encoder> network_;
  PrepareOptions preparation_;
  Normalization normalization_;
  std::string digest_;
  // Of a network that a file defines: the file, and the layer before the classifier.
  std::filesystem::path classifier_file_;
  std::string last_layer_;
  mutable std::once_flag classifier_read_;
  mutable std::shared_ptr<const ImageClassifier> classifier_;
};

}  // namespace saccade
