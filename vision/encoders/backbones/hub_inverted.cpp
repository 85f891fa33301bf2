// What EfficientNets and MobileNets the tensors of a hub make.
#include <algorithm>
#include <cmath>
#include <span>

#include "vision/encoders/backbones/hub_facts.h"

namespace saccade {

namespace {

// The blocks, without what depends on where they stand.
InvertedPlan inverted_shapes(const HubTensors& tensors) {
  InvertedPlan plan;
  const std::vector<Index>& stem = tensors.at("stem.conv.weight").shape;
  plan.stem = stem[0];
  plan.stem_kernel = stem.back();
  plan.stem_before = plan.stem_behind = stem.back() / 2;
  if (tensors.find("head.conv.weight")) plan.head = tensors.at("head.conv.weight").shape[0];
  Index in = plan.stem;
  for (std::size_t b = 0; b < tensors.blocks().size(); ++b) {
    const std::string name = str("blocks.", b, ".");
    const std::vector<Index>& depthwise = tensors.at(name + "depthwise.conv.weight").shape;
    InvertedBlockPlan block{.expanded = depthwise[0],
                            .expands = tensors.find(name + "expand.conv.weight") != nullptr,
                            .kernel = depthwise.back()};
    block.before = block.behind = block.kernel / 2;
    block.out = tensors.at(name + "project.conv.weight").shape[0];
    if (tensors.find(name + "se.reduce.weight"))
      block.squeezed = tensors.at(name + "se.reduce.weight").shape[0];
    block.residual = in == block.out;
    in = block.out;
    plan.blocks.push_back(block);
  }
  return plan;
}

// Gives the first block of every stage its stride; only blocks without one have a residual.
void set_strides(InvertedPlan& plan, const HubTensors& tensors, std::span<const Index> strides) {
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const std::vector<Index>& numbers = tensors.blocks()[b];
    const auto stage = static_cast<std::size_t>(numbers[0] - tensors.blocks()[0][0]);
    if (numbers[1] == 0 && stage < strides.size()) plan.blocks[b].stride = strides[stage];
    if (plan.blocks[b].stride != 1) plan.blocks[b].residual = false;
  }
}

constexpr Index kEfficientnetStrides[] = {1, 2, 2, 2, 1, 2, 1};

// TensorFlow pads more at the end where a window has a stride.
void pad_as_tensorflow(InvertedPlan& plan, const std::vector<Index>& but) {
  const auto pad = [](Index kernel, Index& before, Index& behind) {
    before = kernel / 2 - 1;
    behind = kernel / 2;
  };
  pad(plan.stem_kernel, plan.stem_before, plan.stem_behind);
  for (std::size_t b = 0; b < plan.blocks.size(); ++b)
    if (InvertedBlockPlan& block = plan.blocks[b];
        block.stride == 2 && std::find(but.begin(), but.end(), static_cast<Index>(b)) == but.end())
      pad(block.kernel, block.before, block.behind);
}

void set_as_transformers(InvertedPlan& plan, const HubTensors& tensors, const HubFacts& facts) {
  if (!facts.known())
    throw DataError(tensors.source() +
                    ": the strides of its blocks are in no tensor, and no config.json is beside "
                    "it; copy that there");
  const auto repeats = facts.get<std::vector<Index>>("/num_block_repeats", {1, 2, 2, 3, 3, 4, 1});
  const auto strides = facts.get<std::vector<Index>>("/strides", {1, 2, 2, 2, 1, 2, 1});
  const auto depth = facts.get<double>("/depth_coefficient", 3.1);
  std::size_t b = 0;
  for (std::size_t stage = 0; stage < std::min(repeats.size(), strides.size()); ++stage) {
    const auto count = static_cast<Index>(std::ceil(depth * static_cast<double>(repeats[stage])));
    for (Index i = 0; i < count && b < plan.blocks.size(); ++i, ++b) {
      plan.blocks[b].stride = i == 0 ? strides[stage] : 1;
      plan.blocks[b].residual = i > 0;  // the first of a stage has none
    }
  }
  if (b != plan.blocks.size())
    throw DataError(str(facts.file(), ": it describes a network of ", b,
                        " blocks or less, and the weights have ", plan.blocks.size()));
  pad_as_tensorflow(plan, facts.get<std::vector<Index>>("/depthwise_padding", {}));
  plan.epsilon = facts.get<double>("/batch_norm_eps", 1e-3);
}

// Relu in the first blocks, hard swish behind them.
void set_mobilenet_activations(InvertedPlan& plan, std::size_t first_hard) {
  plan.hard_gate = true;
  plan.stem_activation = plan.head_activation = InvertedActivation::kHardSwish;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b)
    plan.blocks[b].activation =
        b < first_hard ? InvertedActivation::kRelu : InvertedActivation::kHardSwish;
}

// torchvision's MobileNetV3 has one row of blocks, and no numbers of stages. Of its two networks,
// the small one begins with a squeeze and a stride.
void set_as_torchvision_mobilenet(InvertedPlan& plan) {
  std::vector<InvertedBlockPlan>& blocks = plan.blocks;
  const bool small = !blocks.empty() && blocks[0].squeezed > 0;
  std::size_t first_hard = blocks.size();
  Index in = plan.stem;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    InvertedBlockPlan& block = blocks[b];
    const bool wide_from_wide =
        small && b > 0 && blocks[b - 1].kernel == 5 && 4 * block.out < 5 * in;
    const bool squeezes_first = !small && block.squeezed > 0 && block.kernel == 3;
    const bool keeps = b == 0 ? !small : wide_from_wide || squeezes_first;
    if (b == 0 ? small : block.out != in && !keeps) block.stride = 2;
    if (block.stride != 1) block.residual = false;
    const bool hard =
        small ? block.kernel == 5 : b > 0 && block.kernel == 3 && blocks[b - 1].kernel == 5;
    if (hard) first_hard = std::min(first_hard, b);
    in = block.out;
  }
  set_mobilenet_activations(plan, first_hard);
  plan.epsilon = 1e-3;
}

void set_as_timm_mobilenet(InvertedPlan& plan, const HubTensors& tensors) {
  constexpr Index kSmall[] = {2, 2, 2, 1, 2}, kLarge[] = {1, 2, 2, 2, 1, 2};
  const bool small = !plan.blocks.empty() && plan.blocks[0].squeezed > 0;
  set_strides(plan, tensors, small ? std::span<const Index>(kSmall) : kLarge);
  const Index stages_of_relu = small ? 2 : 3;
  const auto& blocks = tensors.blocks();
  set_mobilenet_activations(plan, static_cast<std::size_t>(std::count_if(
                                      blocks.begin(), blocks.end(), [&](const auto& numbers) {
                                        return numbers[0] < stages_of_relu;
                                      })));
}

}  // namespace

InvertedPlan inverted_parts(const HubTensors& tensors, const HubFacts& facts) {
  InvertedPlan plan = inverted_shapes(tensors);
  if (tensors.naming().package == HubPackage::kTransformers) {
    set_as_transformers(plan, tensors, facts);
    return plan;
  }
  if (tensors.naming().package == HubPackage::kTorchvision) {
    if (std::string_view(tensors.naming().what).find("MobileNet") != std::string_view::npos) {
      set_as_torchvision_mobilenet(plan);
      return plan;
    }
    set_strides(plan, tensors, kEfficientnetStrides);
    constexpr std::size_t kBlocksOfB5 = 39;  // from which on the packages' own weights have another
    if (plan.blocks.size() >= kBlocksOfB5) plan.epsilon = 1e-3;
    return plan;
  }
  const bool efficientnet = tensors.has_original("bn2.weight");
  if (facts.architecture().empty())
    throw DataError(str(
        tensors.source(),
        ": whether it pads as TensorFlow is in no tensor, and no config.json is beside it; copy "
        "that there, or write one with the name that timm gives the network: {\"architecture\": \"",
        efficientnet ? "efficientnet_b0" : "mobilenetv3_large_100", "\"}, or tf_..."));
  require_architecture(
      facts,
      efficientnet
          ? std::initializer_list<const char*>{"efficientnet_b", "tf_efficientnet_b"}
          : std::initializer_list<const char*>{"mobilenetv3_large_", "mobilenetv3_small_",
                                               "tf_mobilenetv3_large_", "tf_mobilenetv3_small_"},
      true);
  if (efficientnet)
    set_strides(plan, tensors, kEfficientnetStrides);
  else
    set_as_timm_mobilenet(plan, tensors);
  if (facts.architecture().starts_with("tf_")) {
    plan.epsilon = 1e-3;
    plan.same_padding = true;
    pad_as_tensorflow(plan, {});
  }
  return plan;
}

}  // namespace saccade
