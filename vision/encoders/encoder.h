// The interface of an encoder that training may change. All of them are lines of
// core/config/encoders.def.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/autograd/tape.h"
#include "core/config/encoder_config.h"
#include "core/io/torch_weights.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/grid.h"
#include "vision/encoders/receptive_field.h"
#include "vision/encoders/token_encoder.h"

namespace saccade {

// Layers that can be frozen together.
struct EncoderStage {
  std::string name;
  std::vector<std::string> prefixes;  // below which their parameters lie
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  // Normalised pixels [B, ...input_shape()] -> features [B, L, D], a vector a region of grid().
  virtual Var forward(Tape& tape, Var pixels) const = 0;
  // The grid that forward() gives, with what the positions add.
  virtual GridShape grid() const = 0;
  // Of one image: [height, width, 3].
  virtual Shape input_shape() const = 0;
  // What each region is computed from, but for normalisations by the picture's own statistics.
  // Throws UsageError, with the reason, where that is the whole picture.
  virtual ReceptiveField receptive_field() const;
  // From the pixels on, so that the first ones can be frozen.
  virtual std::vector<EncoderStage> stages() const = 0;
  // How a file of pretrained weights (encoder.weights) names the parameters; its scope is below
  // the encoder's. Throws UsageError for an encoder that nobody publishes weights of.
  virtual TorchWeights pretrained() const;
  // This encoder where its regions attend to each other, else null.
  virtual const TokenEncoder* token_encoder() const { return nullptr; }
  // Gives its parameters the numbers that came with its definition, if any did.
  virtual void start(ParameterStore&) const {}
  // Its definition where no config has it, as EncoderConfig::graph; else "".
  virtual std::string graph() const { return ""; }
};

// The same for an encoder whose parameters were declared below `scope`.
TorchWeights pretrained(const Encoder& encoder, const std::string& scope);

// Gives it, declared below "encoder", the numbers of config.weights; without config.weights_strict
// the report says what was left out. Throws as load_torch_weights does.
TorchWeightReport load_encoder_weights(const EncoderConfig& config, const Encoder& encoder,
                                       ParameterStore& store);

// The network of a config; declares its parameters in `scope`. Throws UsageError on sizes that do
// not fit together, InternalError for a frozen encoder (grid.h).
std::unique_ptr<Encoder> make_encoder(const EncoderConfig& config, const ParamScope& scope);

}  // namespace saccade
