#include "core/base/error.h"
#include "core/io/tensor_files.h"
#include "vision/encoders/backbones/hub_names.h"
#include "vision/encoders/encoder.h"
#include "vision/encoders/encoder_traits.h"

namespace saccade {

ReceptiveField Encoder::receptive_field() const {
  throw UsageError(
      "the regions of this encoder attend to each other, so that each is computed from the whole "
      "picture");
}

Var Encoder::last_state(Tape&, Var, std::span<const PictureArea>) const {
  throw ShapeError("[encoder] it has no states");
}

TorchWeights Encoder::pretrained() const {
  throw UsageError(
      "this encoder has no published weights, and so no names for them: encoder.weights "
      "takes "
      "none (start from a run of your own with train.init_from), and convert --encoder writes none "
      "(without it, convert writes everything)");
}

TorchWeights pretrained(const Encoder& encoder, const std::string& scope) {
  TorchWeights weights = encoder.pretrained();
  weights.scope = weights.scope.empty() ? scope : scope + "." + weights.scope;
  return weights;
}

TorchWeightReport load_encoder_weights(const EncoderConfig& config, const Encoder& encoder,
                                       ParameterStore& store) {
  TorchWeights weights = pretrained(encoder, "encoder");
  weights.strict = config.weights_strict;
  std::unique_ptr<TensorFile> file = open_tensors(config.weights);
  if (const auto* own = dynamic_cast<const SafetensorsFile*>(file.get())) own->check_digest();
  if (config.type == "hub") {
    const HubTensors tensors(std::move(file));
    weights.changing.insert(weights.changing.end(), tensors.foreign().begin(),
                            tensors.foreign().end());
    return load_torch_weights(tensors, weights, store);
  }
  try {
    return load_torch_weights(*file, weights, store);
  } catch (const DataError& error) {
    if (!is_hub_network(*file)) throw;
    throw DataError(error.what() + std::string("; encoder.type hub takes the network of the file"));
  }
}

std::unique_ptr<Encoder> make_encoder(const EncoderConfig& config, const ParamScope& scope) {
  const auto make = encoder_registry().at(config.type).make;
  if (!make) throw InternalError("a frozen encoder has no network to train");
  return make(config, scope);
}

}  // namespace saccade
