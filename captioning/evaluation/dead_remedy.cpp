#include <vector>

#include "captioning/config/experiment_config.h"
#include "captioning/evaluation/dead_signs.h"
#include "core/attention/mechanisms/mechanism_kind.h"
#include "core/attention/normalizer_kind.h"
#include "core/attention/scopes/scope_kind.h"
#include "core/attention/selection_kind.h"
#include "core/base/error.h"
#include "vision/encoders/encoder_kind.h"
#include "vision/encoders/encoder_traits.h"
#include "vision/encoders/frozen_network.h"

namespace saccade {

namespace {

// "lower objective.doubly_stochastic from 1: ...", if it can be lowered.
void add_penalty(const ObjectiveConfig& config, std::vector<std::string>& out) {
  const double weight = config.doubly_stochastic;
  if (weight > 0 && config.coverage.target == CoverageTarget::kOne)
    out.push_back(
        str("lower objective.doubly_stochastic from ", weight,
            " (while captions have fewer words than there are regions, equal weights make it "
            "smallest)"));
}

void add_sharper(const AttentionConfig& config, std::vector<std::string>& out) {
  // Draws and expected alignments need a softmax.
  if (config.mechanism != MechanismKind::kComposed ||
      config.selection == SelectionKind::kGumbelSt || config.scope == ScopeKind::kMonotonic)
    return;
  if (config.normalizer == NormalizerKind::kSoftmax)
    out.push_back(
        "give attention.temperature a value below 1, or choose attention.normalizer sparsemax");
}

void add_layer(const EncoderConfig& config, std::vector<std::string>& out) {
  if (encoder_traits(config).reads_text) {  // each cell is a token already
    if (config.type == EncoderKind::kTextTransformer && config.positions == PositionKind::kNone)
      out.push_back("set encoder.positions, without which no token knows its place");
    out.push_back("train longer, or with another optimizer.lr");
    return;
  }
  const bool network = config.type != EncoderKind::kCnn;
  if (is_frozen(config))
    out.push_back(
        "encode larger pictures (encoder.image_size), so that each cell of a deep layer describes "
        "a "
        "smaller part of the picture");
  out.push_back(network ? "take features from a finer or shallower layer of the encoder (in a deep "
                          "layer every cell describes the whole picture)"
                        : "give the encoder a finer grid");
  if (network && config.layers.size() > 1 && config.keys.empty())
    out.push_back("let attention score the finest of the layers alone (encoder.keys)");
}

void add_localizer(const ObjectiveConfig& config, std::vector<std::string>& out) {
  if (!config.supervision.any())
    out.push_back("set objective.supervision.localizer.weight, for example to 0.5");
}

// What keeps maps from lying on one cell each before they have learned which.
void add_softer(const AttentionConfig& config, std::vector<std::string>& out) {
  out.push_back("give attention.temperature a value above 1, or let it fall while training");
  if (config.selection == SelectionKind::kHard)
    out.push_back(
        "raise attention.hard.lambda_e, or let attention.hard.expectation_share fall later");
  out.push_back("lower the learning rate of the attention (optimizer.groups)");
}

std::string joined(const std::vector<std::string>& steps) {
  std::string out;
  for (std::size_t i = 0; i < steps.size(); ++i)
    out += (i == 0 ? "" : i + 1 < steps.size() ? "; " : "; or ") + steps[i];
  return out;
}

}  // namespace

std::string dead_remedy(DeadKind kind, const ExperimentConfig& config) {
  std::vector<std::string> steps;
  if (kind == DeadKind::kOneCell) {
    add_softer(config.attention, steps);
    return joined(steps);
  }
  add_penalty(config.objective, steps);
  if (kind != DeadKind::kNeedless) add_sharper(config.attention, steps);
  add_layer(config.encoder, steps);
  add_localizer(config.objective, steps);
  return joined(steps);
}

}  // namespace saccade
