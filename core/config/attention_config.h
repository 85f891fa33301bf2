// The section `attention`: how the decoder attends to the image.
#pragma once

#include <cstdint>
#include <optional>

#include "core/config/choices.h"
#include "core/config/constraint.h"
#include "core/config/ramp.h"

namespace saccade {

// Where a profile is chosen, it gives the values that are null here: resolved(HardConfig).
struct HardConfig {
  HardProfile profile = HardProfile::kSatPaper;
  HardLikelihood likelihood = HardLikelihood::kChoice;
  std::optional<Ramp> lambda_r, lambda_e, expectation_share;
  std::optional<double> baseline_decay;
  std::optional<BaselineKind> baseline;
  std::optional<CoinKind> coin;
  std::optional<RewardKind> reward;
  std::int64_t samples = 4;
  ProposalKind proposal = ProposalKind::kAttention;

  template <class V>
  void fields(V& v) {
    v.field("profile", profile, "gives every value below that is null");
    v.field("likelihood", likelihood, "what a word's probability is, given the map");
    v.field("lambda_r", lambda_r, "weight of the REINFORCE term", at_least(0));
    v.field("lambda_e", lambda_e, "weight of the entropy bonus", at_least(0));
    v.field("expectation_share", expectation_share, "probability of the soft pass instead",
            between(0, 1));
    v.field("baseline", baseline, "what is subtracted from the reward");
    v.field("baseline_decay", baseline_decay, "decay of the moving averages (ema, ema_per_length)",
            between_open_end(0, 1));
    v.field("samples", samples, "draws of each caption", between(2, 256))
        .only_with("attention.hard.baseline", BaselineKind::kLeaveOneOut);
    v.field("proposal", proposal, "what regions are drawn from in training");
    v.field("coin", coin, "who decides between sample and expectation");
    v.field("reward", reward, "the reward of a caption");
  }
};

struct AttentionConfig {
  MechanismKind mechanism = MechanismKind::kComposed;
  ScoreKind score = ScoreKind::kAdditive;
  ScopeKind scope = ScopeKind::kGlobal;
  NormalizerKind normalizer = NormalizerKind::kSoftmax;
  Ramp temperature = Ramp::constant(1);
  bool learned_scale = false;
  SelectionKind selection = SelectionKind::kSoft;
  std::int64_t k = 5;
  Ramp gumbel_temperature = Ramp::constant(1);
  std::int64_t heads = 1;
  GateKind gate = GateKind::kScalar;
  bool sentinel = false;
  std::int64_t hidden = 512;
  std::int64_t radius = 2;
  double pace = 1;
  std::int64_t globals = 1;
  double noise = 1;
  std::int64_t projected = 16;
  HardConfig hard;

  template <class V>
  void fields(V& v) {
    v.field("mechanism", mechanism, "the axes below, or a mechanism that does not factor");
    v.field("score", score, "how a region is scored against the decoder's state");
    v.field("scope", scope, "the regions that are looked at");
    v.field("normalizer", normalizer, "how scores become weights");
    v.field("temperature", temperature, "divides the scores; may change in training",
            between(1e-6, 1000));
    v.field("learned_scale", learned_scale,
            "multiply the scores by a learned number exp(t), one a head, with t = 0 at first: how "
            "sharp the map is, apart from what it points at");
    v.field("selection", selection, "how weights become a context");
    v.field("k", k, "regions that are kept", between(1, 65536))
        .only_with("attention.selection", SelectionKind::kTopK);
    v.field("gumbel_temperature", gumbel_temperature, "of the relaxation that gives the gradient",
            between(1e-6, 1000))
        .only_with("attention.selection", SelectionKind::kGumbelSt);
    v.field("heads", heads, "maps a word, each over its own share of the widths", between(1, 256));
    v.field("gate", gate, "how much of the context the decoder takes");
    v.field("sentinel", sentinel,
            "one more thing to attend to: what the decoder knows without looking (Lu et al. 2017)");
    v.field("hidden", hidden, "width of the attention space, all heads together", between(1, 65536))
        .unless("attention.score", ScoreKind::kNone, ScoreKind::kDot, ScoreKind::kGeneral)
        .or_with("attention.scope", ScopeKind::kLocalP);
    v.field("radius", radius, "cells from the centre", between(0, 1024))
        .only_with("attention.scope", ScopeKind::kLocalM, ScopeKind::kLocalP, ScopeKind::kWindow);
    v.field("pace", pace, "cells the centre moves a word", between(0, 65536))
        .only_with("attention.scope", ScopeKind::kLocalM, ScopeKind::kWindow);
    v.field("globals", globals, "first regions that every word sees", at_least(0))
        .only_with("attention.scope", ScopeKind::kWindow);
    v.field("noise", noise, "deviation of the noise on training scores", between(0, 1000))
        .only_with("attention.scope", ScopeKind::kMonotonic);
    v.field("projected", projected, "mixtures of regions", between(1, 65536))
        .only_with("attention.mechanism", MechanismKind::kLinformer);
    v.section("hard", hard, "estimator of hard attention")
        .only_with("attention.selection", SelectionKind::kHard);
  }
};

// The estimator with the profile's values where the user gave none. Throws UsageError when the
// profile is `custom` and a value is missing.
struct HardValues {
  Ramp lambda_r, lambda_e, expectation_share;
  double baseline_decay;
  BaselineKind baseline;
  CoinKind coin;
  RewardKind reward;
};
HardValues resolved(const HardConfig& config);

}  // namespace saccade
