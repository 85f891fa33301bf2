// The section `attention`: how the decoder attends to the image.
#pragma once

#include <cstdint>
#include <memory>

#include "core/attention/added_choices.h"
#include "core/attention/gate_kind.h"
#include "core/attention/hard_config.h"
#include "core/attention/mechanisms/mechanism_kind.h"
#include "core/attention/normalizer_kind.h"
#include "core/attention/scopes/scope_kind.h"
#include "core/attention/scores/score_kind.h"
#include "core/attention/selection_kind.h"
#include "core/config/constraint.h"
#include "core/config/open_choice.h"
#include "core/config/ramp.h"

namespace saccade {

struct AttentionConfig {
  OpenChoice<MechanismKind> mechanism = MechanismKind::kComposed;
  OpenChoice<ScoreKind> score = ScoreKind::kAdditive;
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
  // The added choices, with their factories; no value of the config. Null: nothing was added.
  std::shared_ptr<const AddedChoices> added;

  // Makes these names valid for mechanism and score.
  void extend(std::shared_ptr<const AddedChoices> choices) {
    added = std::move(choices);
    if (!added) return;
    mechanism.add_names({added, &added->mechanisms()});
    score.add_names({added, &added->scores()});
  }

  template <class V>
  void fields(V& v) {
    v.field("mechanism", mechanism, "composed of the axes below, or a mechanism of its own");
    v.field("score", score, "how a region is scored against the decoder's state");
    v.field("scope", scope, "which regions a word may attend to");
    v.field("normalizer", normalizer, "how scores become weights");
    v.field("temperature", temperature, "divides the scores; may change in training",
            between(1e-6, 1000));
    v.field("learned_scale", learned_scale,
            "multiply the scores by a learned number exp(t), one per head, where t starts at 0: it "
            "sets how sharp the map is, independently of where it points");
    v.field("selection", selection, "how weights become a context");
    v.field("k", k, "number of regions that are kept", between(1, 65536))
        .only_with("attention.selection", SelectionKind::kTopK);
    v.field("gumbel_temperature", gumbel_temperature,
            "temperature of the relaxation that gives the gradient", between(1e-6, 1000))
        .only_with("attention.selection", SelectionKind::kGumbelSt);
    v.field("heads", heads, "maps per word, each over its own share of the widths",
            between(1, 256));
    v.field("gate", gate, "how much of the context the decoder takes");
    v.field(
        "sentinel", sentinel,
        "one more thing to attend to: what the decoder knows without the image (Lu et al. 2017)");
    v.field("hidden", hidden, "width of the attention space, all heads together", between(1, 65536))
        .unless("attention.score", ScoreKind::kNone, ScoreKind::kDot, ScoreKind::kGeneral)
        .or_with("attention.scope", ScopeKind::kLocalP);
    v.field("radius", radius, "cells from the centre of the window to its edge", between(0, 1024))
        .only_with("attention.scope", ScopeKind::kLocalM, ScopeKind::kLocalP, ScopeKind::kWindow);
    v.field("pace", pace, "regions, in reading order, that the centre moves per word",
            between(0, 65536))
        .only_with("attention.scope", ScopeKind::kLocalM, ScopeKind::kWindow);
    v.field("globals", globals, "how many of the first regions every word sees", at_least(0))
        .only_with("attention.scope", ScopeKind::kWindow);
    v.field("noise", noise, "standard deviation of the noise that is added to scores in training",
            between(0, 1000))
        .only_with("attention.scope", ScopeKind::kMonotonic);
    v.field("projected", projected, "number of learned mixtures of regions", between(1, 65536))
        .only_with("attention.mechanism", MechanismKind::kLinformer);
    v.section("hard", hard, "estimator of hard attention")
        .only_with("attention.selection", SelectionKind::kHard);
  }
};

}  // namespace saccade
