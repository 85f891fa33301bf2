#include <vector>

#include "captioning/evaluation/dead_signs.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// "lower objective.doubly_stochastic from 1: ...", if it can be lowered.
void add_penalty(const ExperimentConfig& config, std::vector<std::string>& out) {
  const double weight = config.objective.doubly_stochastic;
  if (weight > 0 && config.objective.coverage.target == CoverageTarget::kOne)
    out.push_back(
        str("lower objective.doubly_stochastic from ", weight,
            " (while captions have fewer words than there are regions, equal weights make it "
            "smallest)"));
}

void add_sharper(const ExperimentConfig& config, std::vector<std::string>& out) {
  // Draws and expected alignments need a softmax.
  if (config.attention.mechanism != MechanismKind::kComposed ||
      config.attention.selection == SelectionKind::kGumbelSt ||
      config.attention.scope == ScopeKind::kMonotonic)
    return;
  if (config.attention.normalizer == NormalizerKind::kSoftmax)
    out.push_back(
        "give attention.temperature a value below 1, or choose attention.normalizer sparsemax");
}

void add_layer(const ExperimentConfig& config, std::vector<std::string>& out) {
  const bool network = config.encoder.type != EncoderKind::kCnn;
  out.push_back(network ? "take features from a finer or shallower layer of the encoder (in a deep "
                          "layer every cell describes the whole picture)"
                        : "give the encoder a finer grid");
  if (network && config.encoder.layers.size() > 1 && config.encoder.keys.empty())
    out.push_back("let attention score the finest of the layers alone (encoder.keys)");
}

void add_localizer(const ExperimentConfig& config, std::vector<std::string>& out) {
  if (!config.objective.supervision.any())
    out.push_back("set objective.supervision.localizer.weight, for example to 0.5");
}

}  // namespace

std::string dead_remedy(DeadKind kind, const ExperimentConfig& config) {
  std::vector<std::string> steps;
  add_penalty(config, steps);
  if (kind != DeadKind::kNeedless) add_sharper(config, steps);
  add_layer(config, steps);
  add_localizer(config, steps);
  std::string out;
  for (std::size_t i = 0; i < steps.size(); ++i)
    out += (i == 0 ? "" : i + 1 < steps.size() ? "; " : "; or ") + steps[i];
  return out;
}

}  // namespace saccade
