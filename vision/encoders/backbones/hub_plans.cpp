// What networks the tensors of a hub make, with what the JSON beside them adds.
#include <cmath>

#include "core/base/listing.h"
#include "vision/encoders/backbones/hub_facts.h"
#include "vision/encoders/backbones/hub_network.h"

namespace saccade {

namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Vision transformers.

struct VitFacts {
  Index heads = 0;
  std::string activation{};
  double epsilon = 1e-6;
};

VitFacts facts_of_transformers(const HubTensors& tensors, const HubFacts& facts) {
  const bool clip = contains(tensors.naming().what, "CLIP"),
             blip = contains(tensors.naming().what, "BLIP");
  VitFacts out{.activation = "gelu", .epsilon = 1e-12};
  if (tensors.find("blocks.0.ls1.gamma")) out.epsilon = 1e-6;  // DINOv2
  if (blip) out.epsilon = 1e-5;
  if (clip && tensors.find("cls_token")) out = {.activation = "quick_gelu", .epsilon = 1e-5};
  if (clip && !tensors.find("cls_token")) out = {.activation = "gelu_pytorch_tanh"};
  if (!facts.known()) {
    if (clip && tensors.find("cls_token")) out.activation.clear();
    return out;
  }
  constexpr Index kHeads = 12;  // where a config.json does not say it
  return {.heads = facts.get<Index>("/num_attention_heads", kHeads),
          .activation = facts.get<std::string>("/hidden_act", out.activation),
          .epsilon = facts.get<double>("/layer_norm_eps", out.epsilon)};
}

VitFacts facts_of_timm(const HubTensors& tensors, const HubFacts& facts, Index width) {
  std::string name = facts.architecture();
  if (name.empty()) name = facts.get<std::string>("/model_cfg/vision_cfg/timm_model_name", "");
  const bool pre_norm = tensors.find("norm_pre.weight") != nullptr;
  if (name.empty())
    return {.activation = pre_norm ? "" : "gelu", .epsilon = pre_norm ? 1e-5 : 1e-6};
  // Positions within attention, or norms behind the branches, that no tensor tells.
  for (const char* part : {"_pe_", "_rope_", "_rpn_"})
    if (contains(name, part)) refuse_architecture(facts, name);
  const bool giant = contains(name, "giant_"),
             by_width = giant && (contains(name, "dinov2") || contains(name, "tipsv2") ||
                                  contains(name, "radio"));
  const bool sixteen = giant || contains(name, "huge") || contains(name, "giantopt") ||
                       contains(name, "gigantic") || contains(name, "so400m") ||
                       name.starts_with("vit_base_patch16_gap_224");
  constexpr Index kSixteen = 16, kWidth = 64;
  VitFacts out{.heads = sixteen && !by_width ? kSixteen : width / kWidth,
               .activation = "gelu",
               .epsilon = contains(name, "_clip_") ? 1e-5 : 1e-6};
  if (contains(name, "quickgelu")) out.activation = "quick_gelu";
  if (contains(name, "siglip") &&
      (contains(name, "patch32") || contains(name, "so400m_patch16") ||
       contains(name, "giantopt") || (contains(name, "large") && contains(name, "512"))))
    out.activation = "gelu_tanh";
  out.heads = facts.get<Index>("/model_args/num_heads", out.heads);
  out.activation = facts.get<std::string>("/model_args/act_layer", out.activation);
  return out;
}

VitFacts facts_of_openclip(const HubFacts& facts, Index width) {
  VitFacts out{.epsilon = 1e-5};
  if (!facts.known()) return out;
  constexpr Index kHeadWidth = 64;
  const auto each = facts.get<Index>("/model_cfg/vision_cfg/head_width", kHeadWidth);
  out.heads = each > 0 ? width / each : 0;
  out.activation = facts.get<bool>("/model_cfg/quick_gelu", false) ? "quick_gelu" : "gelu";
  return out;
}

DenseActivation activation_of(const std::string& name, const HubFacts& facts) {
  if (name == "gelu") return DenseActivation::kGelu;
  if (name == "quick_gelu") return DenseActivation::kQuickGelu;
  if (name == "gelu_pytorch_tanh" || name == "gelu_tanh" || name == "gelu_new")
    return DenseActivation::kTanhGelu;
  throw DataError(str(facts.file(), ": the activation '", name,
                      "' is none of those of vision transformers that saccade knows (gelu, "
                      "quick_gelu, gelu_pytorch_tanh)"));
}

PositionRule rule_of(const HubTensors& tensors) {
  switch (tensors.naming().package) {
    case HubPackage::kTransformers:
      return tensors.find("blocks.0.ls1.gamma") && tensors.find("reg_token")
                 ? PositionRule::kAntialiased
                 : PositionRule::kFourTaps;
    case HubPackage::kTorchvision:
      return PositionRule::kCorners;
    case HubPackage::kTimm:  // which leaves out the token that DINOv2's own files have
      return tensors.has_original("mask_token") && !tensors.find("reg_token")
                 ? PositionRule::kDino
                 : PositionRule::kAntialiased;
    case HubPackage::kOpenClip:
      break;
  }
  return PositionRule::kAntialiased;
}

// How many tokens before the grid have positions: those that leave a square.
Index placed_tokens(const HubTensors& tensors, const VitParts& parts) {
  const std::vector<Index>& shape = tensors.at("pos_embed").shape;
  const Index classes = parts.class_token ? 1 : 0, all = classes + parts.registers;
  const bool distilled =
      tensors.has_original("dist_token") || tensors.has_original("embeddings.distillation_token");
  for (const Index first : {distilled ? all : classes, Index{0}, all}) {
    const Index cells = shape.size() == 3 ? shape[1] - first : 0;
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(cells))));
    if (cells > 0 && side * side == cells) return first;
  }
  return -1;
}

VitParts vit_parts(const HubTensors& tensors, const HubFacts& facts, const EncoderConfig& config) {
  const std::vector<Index>& patch = tensors.at("patch_embed.proj.weight").shape;
  if (patch.size() != 4 || patch[1] != 3 || patch[2] != patch[3])
    throw DataError(tensors.source() +
                    ": its patches are not squares of three colours, which saccade's are");
  VitParts parts{.width = patch[0], .patch = patch[2]};
  parts.patch_bias = tensors.find("patch_embed.proj.bias") != nullptr;
  parts.layers = tensors.count("blocks.#.norm1.weight");
  if (const auto stated = facts.get<Index>("/num_hidden_layers", parts.layers);
      stated != parts.layers)
    throw DataError(str(facts.file(), ": num_hidden_layers is ", stated, ", and ", tensors.source(),
                        " has ", counted(parts.layers, "block"),
                        "; it is a part of the weights, or of another network: name the folder or "
                        "the index that has all of them"));
  parts.hidden = tensors.at("blocks.0.mlp.fc2.weight").shape.back();
  parts.class_token = tensors.find("cls_token") != nullptr;
  if (tensors.find("reg_token")) parts.registers = tensors.at("reg_token").shape[1];
  parts.first_norm = tensors.find("norm_pre.weight") != nullptr;
  parts.last_norm = tensors.find("norm.weight") != nullptr;
  parts.layer_scale = tensors.find("blocks.0.ls1.gamma") != nullptr;
  parts.rule = rule_of(tensors);
  parts.placed = placed_tokens(tensors, parts);
  const HubPackage package = tensors.naming().package;
  VitFacts own{.heads = facts.get<Index>("/num_attention_heads", 0), .activation = "gelu"};
  if (package == HubPackage::kTransformers) own = facts_of_transformers(tensors, facts);
  if (package == HubPackage::kTimm) own = facts_of_timm(tensors, facts, parts.width);
  if (package == HubPackage::kOpenClip) own = facts_of_openclip(facts, parts.width);
  // A key for what is said already would make another network of these weights.
  const auto said = [&](const char* key, const auto& value, const auto& other) {
    throw UsageError(str(key, " is ", value, ", and ", facts.known() ? facts.file() : "the network",
                         " says ", other, "; leave the key out"));
  };
  if (config.heads > 0) {
    if (own.heads > 0 && own.heads != config.heads) said("encoder.heads", config.heads, own.heads);
    if (parts.width % config.heads != 0)
      throw UsageError(str("encoder.heads ", config.heads, " does not divide the width ",
                           parts.width, " of ", tensors.source()));
    own.heads = config.heads;
  }
  if (!(own.epsilon > 0 && own.epsilon < 1))
    throw DataError(str(facts.file(), ": the epsilon of its norms is ", own.epsilon,
                        ", and should lie between 0 and 1; copy the file again"));
  if (own.heads < 1)
    throw DataError(str(
        tensors.source(), ": how many heads its attention has is in no tensor, and ",
        facts.known()
            ? facts.file() + " does not say it; set"
            : str("no ", facts.name(), " is beside it; ",
                  package == HubPackage::kTorchvision ? "write one, {\"num_attention_heads\": ...}"
                                                      : "copy that there",
                  ", or set"),
        " encoder.heads (of most published networks, the width ", parts.width, " divided by 64)"));
  if (parts.width % own.heads != 0)
    throw DataError(str(facts.file(), ": its ", counted(own.heads, "head"),
                        " of attention do not divide the width ", parts.width, " of ",
                        tensors.source(), "; take the file that belongs to these weights"));
  parts.heads = own.heads;
  parts.epsilon = own.epsilon;
  if (config.activation) {
    parts.activation = static_cast<DenseActivation>(static_cast<int>(DenseActivation::kGelu) +
                                                    static_cast<int>(*config.activation));
    if (!own.activation.empty() && activation_of(own.activation, facts) != parts.activation)
      said("encoder.activation", enum_name(*config.activation), own.activation);
  } else if (own.activation.empty()) {
    throw DataError(
        tensors.source() + ": which activation it has is in no tensor, and no " + facts.name() +
        " is beside it; copy that there, or set encoder.activation (OpenAI's CLIP: quick_gelu; "
        "laion's: gelu)");
  } else {
    parts.activation = activation_of(own.activation, facts);
  }
  if (tensors.at("blocks.0.mlp.fc1.weight").shape[0] == 2 * parts.hidden)
    parts.activation = DenseActivation::kSwiglu;
  return parts;
}

// Convolutional networks.

ResnetPlan resnet_parts(const HubTensors& tensors, const HubFacts& facts) {
  if (tensors.naming().package == HubPackage::kTimm)
    require_architecture(facts, {"resnet", "resnext", "wide_resnet", "tv_resnet"}, true);
  if (facts.get<bool>("/downsample_in_first_stage", false))
    throw DataError(facts.file() + ": a ResNet with downsample_in_first_stage is not known");
  if (facts.get<std::string>("/hidden_act", "relu") != "relu")
    throw DataError(facts.file() + ": a ResNet with another hidden_act than relu is not known");
  ResnetPlan plan;
  plan.bottleneck = tensors.find("layer1.0.conv3.weight") != nullptr;
  plan.stem.clear();
  for (const char* conv : {"conv1.weight", "conv2.weight", "conv3.weight"})
    if (tensors.find(conv)) plan.stem.push_back(tensors.at(conv).shape[0]);
  for (std::size_t layer = 0; layer < plan.depths.size(); ++layer) {
    const std::string name = str("layer", layer + 1, ".");
    plan.depths[layer] = tensors.count(name + "#.conv1.weight");
    plan.inner[layer] = tensors.at(name + "0.conv1.weight").shape[0];
    plan.widths[layer] =
        tensors.at(name + (plan.bottleneck ? "0.conv3.weight" : "0.conv2.weight")).shape[0];
  }
  const std::vector<Index>& middle = tensors.at("layer1.0.conv2.weight").shape;
  if (middle.size() == 4 && middle[1] > 0) plan.groups = plan.inner[0] / middle[1];
  plan.mean_strides = tensors.naming().package == HubPackage::kOpenClip;
  plan.mean_shortcut = tensors.has_original("layer2.0.downsample.2.weight");
  plan.stride_first = facts.get<bool>("/downsample_in_bottleneck", false);
  plan.name = "the ResNet of encoder.weights";
  return plan;
}

ConvnextPlan convnext_parts(const HubTensors& tensors, const HubFacts& facts) {
  require_architecture(facts, {"convnext_", "convnextv2_"}, false);
  if (facts.get<std::string>("/hidden_act", "gelu") != "gelu")
    throw DataError(facts.file() + ": a ConvNeXt with another hidden_act than gelu is not known");
  ConvnextPlan plan;
  plan.patch = tensors.at("stem.0.weight").shape.back();
  plan.kernel = tensors.at("stages.0.blocks.0.conv_dw.weight").shape.back();
  for (Index stage = 0;; ++stage) {
    const std::string blocks = str("stages.", stage, ".blocks.");
    if (!tensors.find(blocks + "0.conv_dw.weight")) break;
    plan.depths.push_back(tensors.count(blocks + "#.conv_dw.weight"));
    plan.widths.push_back(tensors.at(blocks + "0.conv_dw.weight").shape[0]);
  }
  if (plan.widths.empty()) tensors.at("stages.0.blocks.0.conv_dw.weight");
  plan.multiple = tensors.at("stages.0.blocks.0.mlp.fc1.weight").shape[0] / plan.widths[0];
  plan.layer_scale = tensors.find("stages.0.blocks.0.gamma") != nullptr;
  plan.response_norm = tensors.find("stages.0.blocks.0.mlp.grn.weight") != nullptr;
  if (facts.architecture().starts_with("convnext_xxlarge")) plan.epsilon = 1e-5;
  return plan;
}

SwinPlan swin_parts(const HubTensors& tensors, const HubFacts& facts) {
  require_architecture(facts, {"swin_"}, false);
  if (facts.get<std::string>("/hidden_act", "gelu") != "gelu")
    throw DataError(facts.file() + ": a Swin with another hidden_act than gelu is not known");
  SwinPlan plan;
  plan.patch = tensors.at("patch_embed.proj.weight").shape.back();
  plan.patch_norm = tensors.find("patch_embed.norm.weight") != nullptr;
  for (Index stage = 0;; ++stage) {
    const std::string blocks = str("layers.", stage, ".blocks.");
    if (!tensors.find(blocks + "0.attn.relative_position_bias_table")) break;
    const std::vector<Index>& table =
        tensors.at(blocks + "0.attn.relative_position_bias_table").shape;
    plan.depths.push_back(tensors.count(blocks + "#.norm1.weight"));
    plan.widths.push_back(tensors.at(blocks + "0.norm1.weight").shape[0]);
    plan.heads.push_back(table.back());
    plan.windows.push_back(
        (static_cast<Index>(std::lround(std::sqrt(static_cast<double>(table[0])))) + 1) / 2);
    plan.hidden.push_back(tensors.at(blocks + "0.mlp.fc1.weight").shape[0]);
  }
  if (plan.widths.empty()) tensors.at("layers.0.blocks.0.attn.relative_position_bias_table");
  plan.epsilon = facts.get<double>("/layer_norm_eps", 1e-5);
  plan.shift_first = tensors.naming().package == HubPackage::kTimm;
  plan.shift_both = tensors.naming().package == HubPackage::kTransformers;
  return plan;
}

HubPlan plan_of(const HubTensors& tensors, const HubFacts& facts, const EncoderConfig& config) {
  switch (tensors.naming().family) {
    case HubFamily::kVit:
      return vit_parts(tensors, facts, config);
    case HubFamily::kResnet:
      return resnet_parts(tensors, facts);
    case HubFamily::kConvnext:
      return convnext_parts(tensors, facts);
    case HubFamily::kInverted:
      return inverted_parts(tensors, facts);
    case HubFamily::kSwin:
      break;
  }
  return swin_parts(tensors, facts);
}

}  // namespace

HubPlan read_hub_plan(const HubTensors& tensors, const std::filesystem::path& weights,
                      const EncoderConfig& config) {
  const HubPlan plan = plan_of(tensors, HubFacts(tensors, weights), config);
  try {
    return hub_plan_of_text(hub_plan_text(plan));  // which checks its numbers
  } catch (const DataError&) {
    throw DataError(tensors.source() + ": its tensors have the names of a network (" +
                    tensors.naming().what +
                    "), but not its shapes; it is damaged, or another variant");
  }
}

}  // namespace saccade
