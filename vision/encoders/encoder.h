// The interface of encoders that training may change. Each of them is a row of
// encoder_traits.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/autograd/tape.h"
#include "core/io/torch_weights.h"
#include "core/nn/parameter_store.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/grid.h"
#include "vision/encoders/token_encoder.h"
#include "vision/images/receptive_field.h"

namespace saccade {

// Layers that can be frozen together.
struct EncoderStage {
  std::string name;
  std::vector<std::string> prefixes;  // the scopes that hold their parameters
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  // Normalised pixels, or the numbers of tokens (text_input.h), [B, ...input_shape()] -> features
  // [B, L, D], one vector for each region of grid().
  virtual Var forward(Tape& tape, Var pixels) const = 0;
  // The same for padded inputs: areas[b] is the part of input b that shows the picture or text. An
  // encoder that has no use for it does what forward() does.
  virtual Var forward_padded(Tape& tape, Var pixels, std::span<const PictureArea>) const {
    return forward(tape, pixels);
  }
  // The same; `last` becomes what the last of encoder.layers gives, [B, rows, cols, C], before it
  // is normalised. Encoders that are no network of convolutions leave it as it is.
  virtual Var forward_with_last(Tape& tape, Var pixels, std::span<const PictureArea> areas,
                                Var& /*last*/) const {
    return forward_padded(tape, pixels, areas);
  }
  // Of the features [B, L, D] that forward_padded() returned for the same areas: the vectors [B, D]
  // of the states that have read the whole input. Throws ShapeError where there are none.
  virtual Var last_state(Tape& tape, Var features, std::span<const PictureArea> areas) const;
  // The grid that forward() returns; its width includes what the positions append.
  virtual GridShape grid() const = 0;
  // The shape of one input: [height, width, 3] of an image, [tokens] of a text.
  virtual Shape input_shape() const = 0;
  // The pixels that each region is computed from, apart from normalisations that use the picture's
  // own statistics. Throws UsageError, with the reason, where that is the whole picture.
  virtual ReceptiveField receptive_field() const;
  // The stages in order from the input, so that the first ones can be frozen.
  virtual std::vector<EncoderStage> stages() const = 0;
  // How a file of pretrained weights (encoder.weights) names the parameters; the scope in it is
  // relative to the encoder's. Throws UsageError for an encoder without published weights.
  virtual TorchWeights pretrained() const;
  // This encoder if its regions attend to each other, otherwise null.
  virtual const TokenEncoder* token_encoder() const { return nullptr; }
  // Gives the parameters the values that came with the encoder's definition, if there are any.
  virtual void start(ParameterStore&) const {}
  // The definition of the encoder where the config does not hold it, as EncoderConfig::graph;
  // otherwise "".
  virtual std::string graph() const { return ""; }
  // The tokens that an encoder of texts knows, as EncoderConfig::words; otherwise none.
  virtual std::vector<std::string> words() const { return {}; }
};

// The same for an encoder whose parameters were declared below `scope`.
TorchWeights pretrained(const Encoder& encoder, const std::string& scope);

// Loads the values of config.weights into an encoder that was declared below "encoder". Where
// config.weights_strict is false, the report names what was left out. Throws as load_torch_weights
// does.
TorchWeightReport load_encoder_weights(const EncoderConfig& config, const Encoder& encoder,
                                       ParameterStore& store);

// Makes the network of a config and declares its parameters in `scope`. Throws UsageError on sizes
// that do not fit together, and InternalError for a frozen encoder (grid.h).
std::unique_ptr<Encoder> make_encoder(const EncoderConfig& config, const ParamScope& scope);

}  // namespace saccade
