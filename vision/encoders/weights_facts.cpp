#include "vision/encoders/weights_facts.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/io/tensor_files.h"
#include "vision/encoders/backbones/hub_facts.h"
#include "vision/encoders/backbones/hub_network.h"
#include "vision/encoders/encoder.h"

namespace saccade {

namespace {

using NetworkLines = std::vector<std::pair<std::string, std::string>>;  // of a config

std::string plan_text(const VitParts& vit) {
  return str("vision transformer: width ", vit.width, ", ", vit.layers, " blocks, ", vit.heads,
             " heads, patches of ", vit.patch, " x ", vit.patch, " pixels",
             vit.class_token ? ", a class token" : "",
             vit.registers > 0 ? ", " + counted(vit.registers, "further token") : "",
             vit.layer_scale ? ", layer scale" : "",
             vit.activation == DenseActivation::kSwiglu ? ", SwiGLU" : "");
}
std::string depths(const std::vector<Index>& blocks, const std::vector<Index>& widths) {
  std::string text;
  for (std::size_t s = 0; s < blocks.size(); ++s)
    text += str(s == 0 ? "" : ", ", blocks[s], " of width ", widths[s]);
  return text;
}
std::string plan_text(const ResnetPlan& net) {
  return str("residual network", net.mean_strides ? " of CLIP" : "",
             ", blocks: ", depths(net.depths, net.widths));
}
std::string plan_text(const ConvnextPlan& net) {
  return str("ConvNeXt", net.response_norm ? " 2" : "",
             ", blocks: ", depths(net.depths, net.widths));
}
std::string plan_text(const InvertedPlan& net) {
  return str(net.hard_gate ? "MobileNetV3, " : "EfficientNet, ", net.blocks.size(), " blocks");
}
std::string plan_text(const SwinPlan& net) {
  return str("Swin, blocks: ", depths(net.depths, net.widths), ", windows of ", net.windows[0],
             " x ", net.windows[0]);
}

// The lines for which pictures are prepared as the files say.
void add_pixels(const PublishedPixels& pixels, NetworkLines& lines) {
  if (pixels.resize) lines.emplace_back("resize", enum_name(*pixels.resize));
  if (pixels.resize_side > 0) lines.emplace_back("resize_side", str(pixels.resize_side));
  if (pixels.interpolation) lines.emplace_back("interpolation", enum_name(*pixels.interpolation));
  if (!pixels.pixels) return;
  lines.emplace_back("pixels", enum_name(*pixels.pixels));
  if (*pixels.pixels != PixelScale::kPlain) return;
  lines.emplace_back("input_mean", str(pixels.input_mean));
  lines.emplace_back("input_scale", str(pixels.input_scale));
}

// The side of the pictures that a config.json names, or else the usual one.
Index stated_side(const HubTensors& tensors, const std::string& path) {
  constexpr Index kUsualSide = 224, kMost = 2048;
  const HubFacts facts(tensors, path);
  const auto side = facts.json().find("image_size");
  if (side == facts.json().end() || !side->is_number_integer()) return kUsualSide;
  return side->get<Index>() > 0 && side->get<Index>() <= kMost ? side->get<Index>() : kUsualSide;
}

}  // namespace

NetworkFacts network_facts(const std::string& path, Index image_size) {
  const HubTensors tensors(open_tensors(path));
  NetworkFacts facts{.names = tensors.naming().what, .prefix = tensors.prefix(), .what = ""};
  EncoderConfig config;
  config.type = "hub";
  config.weights = path;
  const auto published = weights_pixels(config);
  const bool told = published && published->height > 0;
  const Index usual = told || image_size > 0 ? 0 : stated_side(tensors, path);
  facts.height = image_size > 0 ? image_size : told ? published->height : usual;
  facts.width = image_size > 0 ? image_size : told ? published->width : usual;
  config.image_size = facts.height;
  config.image_width = facts.width;
  facts.config = {{"type", "hub"}, {"weights", path}, {"image_size", str(facts.height)}};
  if (facts.width != facts.height) facts.config.emplace_back("image_width", str(facts.width));
  if (published) {
    facts.pixels = published->file;
    add_pixels(*published, facts.config);
    if (published->colours && !published->pixels)
      facts.problem = "its colours are normalised by numbers that encoder.pixels does not have";
  }
  try {
    std::visit([&](const auto& plan) { facts.what = plan_text(plan); },
               read_hub_plan(tensors, path, config));
    ParameterStore parameters;
    const auto encoder = make_encoder(config, ParamScope(parameters, "encoder"));
    parameters.allocate();
    load_encoder_weights(config, *encoder, parameters);
    facts.grid = encoder->grid();
    for (const EncoderStage& stage : encoder->stages())
      if (stage.name != "embedding") facts.layers.push_back(stage.name);
  } catch (const Error& error) {
    facts.problem = error.what();
  }
  return facts;
}

std::optional<PublishedPixels> weights_pixels(const EncoderConfig& config) {
  if (auto published = published_pixels(config.weights)) return published;
  bool torchvision = false;  // whose names these encoders have
  for (const char* type : {"resnet", "vgg", "mobilenet"})
    torchvision = torchvision || config.type.starts_with(type);
  try {
    std::unique_ptr<TensorFile> file = open_tensors(config.weights);
    const auto* own = dynamic_cast<const SafetensorsFile*>(file.get());
    if (own && own->has_digest()) return std::nullopt;
    if (config.type == "hub" && is_hub_network(*file))
      torchvision = std::string(HubTensors(std::move(file)).naming().what).find("torchvision") !=
                    std::string::npos;
    if (!torchvision) return std::nullopt;
  } catch (const Error&) {  // whoever loads them says it
    return std::nullopt;
  }
  return PublishedPixels{.colours = published_colours(PixelScale::kImagenet),
                         .pixels = PixelScale::kImagenet};
}

}  // namespace saccade
