// A network as a hub publishes it: what it is, found out from its tensors and the JSON files beside
// them, and as a text that a checkpoint holds.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "vision/encoders/backbones/convnext.h"
#include "vision/encoders/backbones/hub_names.h"
#include "vision/encoders/backbones/inverted.h"
#include "vision/encoders/backbones/resnet.h"
#include "vision/encoders/backbones/swin.h"
#include "vision/encoders/encoder_config.h"
#include "vision/encoders/vit.h"

namespace saccade {

using HubPlan = std::variant<VitParts, ResnetPlan, ConvnextPlan, InvertedPlan, SwinPlan>;

// The network in a file of weights. What tensors do not tell (heads, activations, strides) comes
// from the JSON in its folder, else from encoder.heads and encoder.activation of the config, which
// stand above it. Throws DataError where it is a variant that is not known, or something is missing
// or damaged; a message that asks for more says which key gives it.
HubPlan read_hub_plan(const HubTensors& tensors, const std::filesystem::path& weights,
                      const EncoderConfig& config);

// The network of an encoder of type hub: of config.graph or config.network where there is one, else
// of config.weights.
HubPlan hub_plan(const EncoderConfig& config);

// The text of a plan, and the plan of a text. Throws DataError on a text that describes none.
std::string hub_plan_text(const HubPlan& plan);
HubPlan hub_plan_of_text(const std::string& text);

// Whether the network is a vision transformer, whether it has a class token, and its heads; none
// where config names no network that can be read.
struct HubTokens {
  bool any = false, of_class = false;
  Index heads = 0;
};
HubTokens hub_tokens(const EncoderConfig& config);

}  // namespace saccade
