#include "vision/encoders/backbones/hub_network.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/shallow_json.h"
#include "vision/encoders/stored_network.h"

namespace saccade {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VitParts, width, layers, left_out, heads, patch, hidden,
                                   activation, epsilon, class_token, registers, patch_bias,
                                   first_norm, last_norm, layer_scale, rule, placed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResnetPlan, name, depths, widths, inner, stem, bottleneck,
                                   groups, stride_first, mean_shortcut, mean_strides, epsilon)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConvnextPlan, patch, kernel, widths, depths, multiple,
                                   layer_scale, response_norm, epsilon)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InvertedBlockPlan, expanded, expands, kernel, stride, out,
                                   squeezed, residual, activation, before, behind)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InvertedPlan, stem, stem_kernel, stem_before, stem_behind,
                                   stem_activation, blocks, head, head_activation, hard_gate,
                                   same_padding, epsilon)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SwinPlan, patch, patch_norm, widths, depths, heads, windows,
                                   hidden, epsilon, shift_first, shift_both)

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_text(const std::string& why) {
  throw DataError("the description of the encoder's network is damaged: " + why);
}

// Numbers of a text of unknown origin are used in divisions and as extents.
void check(Index number, const char* what, Index least = 1) {
  constexpr Index kMost = 1 << 20;
  if (number < least || number > kMost) refuse_text(str(what, " is ", number));
}
void check(const std::vector<Index>& numbers, std::size_t count, const char* what) {
  constexpr std::size_t kMostStages = 64;
  if (numbers.size() != count || count == 0 || count > kMostStages)
    refuse_text(str(numbers.size(), " numbers of ", what));
  for (const Index number : numbers) check(number, what);
}
// What is made for each of them takes time or memory.
void check_counts(const std::vector<Index>& numbers, Index most, const char* what) {
  for (const Index number : numbers)
    if (number > most) refuse_text(str(number, " ", what));
}
constexpr Index kMostBlocks = 1024, kMostWindow = 64;
template <class Choice>
void check_choice(Choice choice, Choice last, const char* what) {
  check(static_cast<Index>(choice), what, 0);
  if (choice > last) refuse_text(str(what, " is unknown"));
}

void check(const VitParts& plan) {
  for (const Index number : {plan.width, plan.layers, plan.heads, plan.patch, plan.hidden})
    check(number, "an extent of the transformer");
  check(plan.registers, "registers", 0);
  check(plan.left_out, "blocks", 0);
  check_counts({plan.layers, plan.left_out}, kMostBlocks, "blocks");
  check(plan.placed, "placed tokens", -1);
  if (plan.width % plan.heads != 0) refuse_text("heads that do not divide the width");
  check_choice(plan.activation, DenseActivation::kSwiglu, "activation");
  check_choice(plan.rule, PositionRule::kDino, "rule");
}
void check(const ResnetPlan& plan) {
  constexpr std::size_t kLayers = 4;
  check(plan.depths, kLayers, "blocks");
  check_counts(plan.depths, kMostBlocks, "blocks");
  check(plan.widths, kLayers, "widths");
  check(plan.inner, kLayers, "widths");
  check(plan.stem, plan.stem.size(), "widths of the stem");
  check(plan.groups, "groups");
  for (const Index inner : plan.inner)
    if (inner % plan.groups != 0) refuse_text("groups that do not divide the width");
}
void check(const ConvnextPlan& plan) {
  for (const Index number : {plan.patch, plan.kernel, plan.multiple}) check(number, "an extent");
  check(plan.depths, plan.depths.size(), "blocks");
  check_counts(plan.depths, kMostBlocks, "blocks");
  check(plan.widths, plan.depths.size(), "widths");
}
void check(const InvertedPlan& plan) {
  for (const Index number : {plan.stem, plan.stem_kernel}) check(number, "an extent of the stem");
  for (const Index number : {plan.stem_before, plan.stem_behind, plan.head})
    check(number, "an extent of stem or head", 0);
  check_choice(plan.stem_activation, InvertedActivation::kHardSwish, "activation");
  check_choice(plan.head_activation, InvertedActivation::kHardSwish, "activation");
  for (const InvertedBlockPlan& block : plan.blocks) {
    for (const Index number : {block.expanded, block.kernel, block.stride, block.out})
      check(number, "an extent of a block");
    for (const Index number : {block.squeezed, block.before, block.behind})
      check(number, "an extent of a block", 0);
    check_choice(block.activation, InvertedActivation::kHardSwish, "activation");
  }
}
void check(const SwinPlan& plan) {
  check(plan.patch, "patch");
  const std::size_t stages = plan.depths.size();
  for (const auto& numbers : {plan.depths, plan.widths, plan.heads, plan.windows, plan.hidden})
    check(numbers, stages, "a stage's extents");
  check_counts(plan.depths, kMostBlocks, "blocks");
  check_counts(plan.windows, kMostWindow, "cells of a window's side");
  for (std::size_t s = 0; s < stages; ++s)
    if (plan.widths[s] % plan.heads[s] != 0) refuse_text("heads that do not divide the width");
}

constexpr const char* kFamilies[] = {"vit", "resnet", "convnext", "inverted", "swin"};

template <std::size_t family = 0>
HubPlan plan_of_json(const Json& json) {
  if constexpr (family == std::variant_size_v<HubPlan>) {
    refuse_text("a network of no known family");
  } else {
    if (json.at("family") != kFamilies[family]) return plan_of_json<family + 1>(json);
    auto plan = json.at("network").get<std::variant_alternative_t<family, HubPlan>>();
    check(plan);
    return plan;
  }
}

}  // namespace

std::string hub_plan_text(const HubPlan& plan) {
  return std::visit(
      [&](const auto& own) {
        return Json{{"family", kFamilies[plan.index()]}, {"network", own}}.dump();
      },
      plan);
}

HubPlan hub_plan_of_text(const std::string& text) {
  try {
    return plan_of_json(shallow_json<Json>(text));
  } catch (const Json::exception& error) {
    refuse_text(error.what());
  }
}

HubPlan hub_plan(const EncoderConfig& config) {
  if (!config.graph.empty()) return hub_plan_of_text(config.graph);
  if (config.network) return hub_plan_of_text(config.network->definition);
  if (config.weights.empty())
    throw UsageError(
        "encoder.type hub is the network of encoder.weights; set it to a folder or file of weights "
        "as a model hub has them");
  return read_hub_plan(HubTensors(open_tensors(config.weights)), config.weights, config);
}

HubTokens hub_tokens(const EncoderConfig& config) {
  try {
    const HubPlan plan = hub_plan(config);
    const auto* vit = std::get_if<VitParts>(&plan);
    if (vit == nullptr) return {};
    return {.any = true, .of_class = vit->class_token, .heads = vit->heads};
  } catch (const Error&) {  // whoever makes the network says it
    return {};
  }
}

}  // namespace saccade
